import type {
  EventTarget,
  EventTargetProvider,
  EventVisibility,
  TargetSource,
} from '../projects/index.js';
import type { IssuableType } from './issuable.js';
import { toldNote } from './notes/note.presenter.js';
import { noteTarget } from './notes/note.rules.js';
import type { NotesRepository } from './notes/notes.repository.js';

/** How the feeds show issues, or merge requests, and the notes on them. */
export interface ShownIssuables {
  readonly type: IssuableType;
  /** The titles of those that are there, by ID, with one statement. */
  readonly titlesOf: (ids: readonly number[]) => Promise<ReadonlyMap<number, string>>;
  /** Which events on them readers may see. */
  readonly visibility: EventVisibility;
  /** Which events on notes on them. */
  readonly noteVisibility: EventVisibility;
}

/** Describes issues, or merge requests, and the notes on them for the feeds. */
export abstract class IssuableTargets implements EventTargetProvider {
  readonly targetSources: readonly TargetSource[];

  protected constructor(
    private readonly notes: NotesRepository,
    { type, visibility, noteVisibility, titlesOf }: ShownIssuables,
  ) {
    const issuables: TargetSource = {
      ...{ type, shownAs: type, visibility },
      load: async (ids) => {
        const titles = await titlesOf(ids);
        return new Map([...titles].map(([id, title]) => [id, { title }]));
      },
    };
    const comments: TargetSource = {
      ...{ type: noteTarget(type), shownAs: 'Note', visibility: noteVisibility },
      load: (ids) => this.describeNotes(ids, titlesOf),
      sizesOf: (ids) => notes.sizesOf(ids),
    };
    this.targetSources = [issuables, comments];
  }

  /** Notes on what was deleted are left out. */
  private async describeNotes(
    ids: readonly number[],
    titlesOf: ShownIssuables['titlesOf'],
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
