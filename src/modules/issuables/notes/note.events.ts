import { DomainEvent } from '../../activity/index.js';
import type { IssuableType } from '../issuable.js';

/**
 * Somebody wrote a note on an issue or merge request; published in the unit of work that writes it. The
 * service's own notes are not told of.
 */
@DomainEvent()
export class NoteWritten {
  constructor(
    readonly projectId: number,
    readonly noteId: number,
    readonly noteable: { type: IssuableType; id: number },
    readonly authorId: number,
  ) {}
}
