import { DomainEvent } from '../../platform/events/index.js';
import type { Account } from './effective-access.js';

/** What has members: GitLab's source of a membership. */
export type MembershipSource = 'project' | 'group';

/** A user became a member; published in the unit of work that inserts the membership. */
@DomainEvent()
export class MemberAdded {
  constructor(
    readonly source: MembershipSource,
    readonly sourceId: number,
    readonly userId: number,
  ) {}
}

/** A membership as it was when it ended. */
export interface EndedMembership {
  /** ID of the project or group. */
  readonly sourceId: number;
  readonly userId: number;
  readonly accessLevel: number;
  readonly createdAt: Date;
}

/**
 * Memberships ended, one by one; published in the unit of work that ends them. Not published when a whole
 * account, project or group is deleted.
 */
@DomainEvent()
export class MembersRemoved {
  constructor(
    readonly source: MembershipSource,
    readonly memberships: readonly EndedMembership[],
  ) {}
}

/**
 * Memberships or shares ended, so that users may have lost read access to projects. Published at the end of
 * the unit of work that ends them.
 */
@DomainEvent()
export class AccessEnded {
  constructor(
    /** Projects, or groups with their own projects and those shared with them. */
    readonly scope: { projectIds?: readonly number[]; groupIds?: readonly number[] },
    /** The users who lost their access; null: all members of a group. */
    readonly userIds: readonly number[] | null,
  ) {}
}

/** An administrator acts as another user by `sudo`; published before the request is carried out. */
@DomainEvent()
export class SudoUsed {
  constructor(
    readonly administrator: Account,
    readonly user: Account,
    readonly request: {
      readonly method: string;
      /** The template of the route, with the names of its parameters. */
      readonly route: string;
      /** The client's address. */
      readonly address: string;
      readonly id: string | null;
    },
  ) {}
}
