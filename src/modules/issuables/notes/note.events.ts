import { DomainEvent } from '../../activity/index.js';
import type { IssuableType } from '../kinds/issuable.js';

/** Returns the target type of events on notes. */
export const noteTarget = (type: IssuableType): string => `${type}Note`;

/** A user wrote a note on an issue or merge request. It is published in the same unit of work. */
@DomainEvent()
export class NoteWritten {
  constructor(
    readonly projectId: number,
    readonly noteId: number,
    readonly noteable: { type: IssuableType; id: number },
    readonly authorId: number,
    /** False if the project had no hooks when the request came. */
    readonly hasHooks = true,
  ) {}
}
