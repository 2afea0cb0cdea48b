import { Injectable } from '@nestjs/common';
import { type EventTarget, EventTargets, type EventVisibility } from '../projects/index.js';
import type { IssuableType } from './issuable.js';
import { toldNote } from './notes/note.presenter.js';
import { noteTarget } from './notes/note.rules.js';
import { NotesRepository } from './notes/notes.repository.js';

/** How the feeds tell of issues, or merge requests, and of the notes on them. */
export interface ToldIssuables {
  readonly type: IssuableType;
  /** The titles of those that are there, by ID, with one statement. */
  readonly titlesOf: (ids: readonly number[]) => Promise<ReadonlyMap<number, string>>;
  /** Which events on them readers may see. */
  readonly visibility: EventVisibility;
  /** Which events on notes on them. */
  readonly noteVisibility: EventVisibility;
}

/** Shows issues, merge requests and the notes on them in the feeds (open points 06). */
@Injectable()
export class IssuableTargets {
  constructor(
    private readonly targets: EventTargets,
    private readonly notes: NotesRepository,
  ) {}

  register(told: ToldIssuables): void {
    const { type, visibility, noteVisibility } = told;
    this.targets.register({
      ...{ type, shownAs: type, visibility },
      load: async (ids) => {
        const titles = await told.titlesOf(ids);
        return new Map([...titles].map(([id, title]) => [id, { title }]));
      },
    });
    this.targets.register({
      ...{ type: noteTarget(type), shownAs: 'Note', visibility: noteVisibility },
      load: (ids) => this.comments(told, ids),
      sizesOf: (ids) => this.notes.sizesOf(ids),
    });
  }

  /** What was said of something is gone with it. */
  private async comments(
    { titlesOf }: Pick<ToldIssuables, 'titlesOf'>,
    ids: readonly number[],
  ): Promise<Map<number, EventTarget>> {
    const notes = await this.notes.findByIds(ids);
    const titles = await titlesOf(notes.map(({ noteableId }) => noteableId));
    const there = notes.filter(({ noteableId }) => titles.has(noteableId));
    return new Map(
      there.map((note) => {
        const title = titles.get(note.noteableId) ?? null;
        return [note.id, { title, note: toldNote(note) }];
      }),
    );
  }
}
