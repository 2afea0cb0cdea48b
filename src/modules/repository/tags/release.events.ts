import type { Commit } from '../../../git/index.js';
import { DomainEvent } from '../../../platform/events/index.js';

export type ReleaseAction = 'create' | 'update' | 'delete';

/**
 * A release was created or updated, or is about to be deleted: its row and what belongs to it exist. Published in the unit of
 * work of the change; git was asked for the commit before.
 */
@DomainEvent()
export class ReleaseChanged {
  constructor(
    readonly projectId: number,
    readonly releaseId: number,
    readonly action: ReleaseAction,
    /** What the tag marks; null where it marks no commit or does not exist any more. */
    readonly commit: Commit | null,
  ) {}
}
