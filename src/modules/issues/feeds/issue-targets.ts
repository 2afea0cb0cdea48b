import { Injectable } from '@nestjs/common';
import { noteTarget, NotesRepository, toldNote } from '../../issuables/index.js';
import { type EventTarget, EventTargets } from '../../projects/index.js';
import { IssuesRepository } from '../issues.repository.js';
import { ISSUE_OF_EVENT, ISSUE_OF_NOTE, issueEventVisibility } from './issue-event-visibility.js';

/** Shows issues and the notes on them in the feeds (open points 06). */
@Injectable()
export class IssueTargets {
  constructor(
    targets: EventTargets,
    private readonly issues: IssuesRepository,
    private readonly notes: NotesRepository,
  ) {
    targets.register({
      type: 'Issue',
      shownAs: 'Issue',
      load: (ids) => this.titles(ids),
      visibility: issueEventVisibility('Issue', ISSUE_OF_EVENT),
    });
    const noted = noteTarget('Issue');
    targets.register({
      type: noted,
      shownAs: 'Note',
      load: (ids) => this.comments(ids),
      visibility: issueEventVisibility(noted, ISSUE_OF_NOTE),
    });
  }

  private async titles(ids: readonly number[]): Promise<Map<number, EventTarget>> {
    const titles = await this.issues.titlesOf(ids);
    return new Map([...titles].map(([id, title]) => [id, { title }]));
  }

  /** What was said of an issue is gone with it. */
  private async comments(ids: readonly number[]): Promise<Map<number, EventTarget>> {
    const notes = await this.notes.findByIds(ids);
    const titles = await this.issues.titlesOf(notes.map(({ noteableId }) => noteableId));
    const there = notes.filter(({ noteableId }) => titles.has(noteableId));
    return new Map(
      there.map((note) => {
        const title = titles.get(note.noteableId) ?? null;
        return [note.id, { title, note: toldNote(note) }];
      }),
    );
  }
}
