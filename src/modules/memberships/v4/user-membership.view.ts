import type { UserMembership } from '../members/user-memberships.repository.js';

/** A direct membership of a user. */
export class V4MembershipView {
  source_id!: number;
  /** The name of the project or group. */
  source_name!: string;
  /** `Project` or `Namespace`, which is a group. */
  source_type!: string;
  access_level!: number;
}

export const presentV4Membership = (membership: UserMembership): V4MembershipView => ({
  source_id: membership.sourceId,
  source_name: membership.sourceName,
  source_type: membership.source === 'project' ? 'Project' : 'Namespace',
  access_level: membership.accessLevel,
});
