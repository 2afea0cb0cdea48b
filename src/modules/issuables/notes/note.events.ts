import { DomainEvent } from '../../../platform/events/index.js';
import type { EventProject } from '../../authorization/index.js';
import type { Issuable, IssuableType } from '../model/issuable.js';

/** Returns the target type of events on notes. */
export const noteTarget = (type: IssuableType): string => `${type}Note`;

/** A user wrote a note on an issue or merge request, or changed its text. It is published in the same unit of work. */
@DomainEvent()
export class NoteWritten {
  constructor(
    readonly project: EventProject,
    readonly noteId: number,
    readonly noteable: Pick<Issuable, 'type' | 'id' | 'confidential'>,
    /** Who wrote or changed it. */
    readonly actorId: number,
    readonly action: 'create' | 'update' = 'create',
  ) {}

  get projectId(): number {
    return this.project.id;
  }
}

/** A user resolved the last threads of a merge request that were unresolved. It is published in the same unit of work. */
@DomainEvent()
export class DiscussionsResolved {
  constructor(
    readonly projectId: number,
    readonly mergeRequestId: number,
  ) {}
}
