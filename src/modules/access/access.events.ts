import { DomainEvent } from '../activity/index.js';

/**
 * Memberships or shares have ended: some who could read projects may not be able to any more. Published
 * in the unit of work that ends them, after that.
 */
@DomainEvent()
export class AccessEnded {
  constructor(
    /** Projects, or groups whose own and shared projects it is about. */
    readonly places: { projectIds?: readonly number[]; groupIds?: readonly number[] },
    /** Whose access it was; null where that was everybody's in a group. */
    readonly userIds: readonly number[] | null,
  ) {}
}
