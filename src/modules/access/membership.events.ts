import { DomainEvent } from '../activity/index.js';

/** What has members. */
export type MembersPlace = 'project' | 'group';

/** Somebody was made a member; published in the unit of work that does it. */
@DomainEvent()
export class MemberAdded {
  constructor(
    readonly place: MembersPlace,
    readonly placeId: number,
    readonly userId: number,
  ) {}
}

/** A membership as it was when it ended. */
export interface EndedMembership {
  /** The project's or group's ID. */
  readonly parentId: number;
  readonly userId: number;
  readonly accessLevel: number;
  readonly createdAt: Date;
}

/**
 * Memberships have ended, one by one; published in the unit of work that ends them. Not told of where an
 * account, a project or a group goes altogether.
 */
@DomainEvent()
export class MembersRemoved {
  constructor(
    readonly place: MembersPlace,
    readonly memberships: readonly EndedMembership[],
  ) {}
}
