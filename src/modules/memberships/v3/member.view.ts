import { type UserPresenter, UserSummaryView } from '../../users/v3/index.js';
import type { Member } from '../members/member.rules.js';

/** A direct member of a project or group. */
export class MemberView extends UserSummaryView {
  /** 10 guest, 20 reporter, 30 developer, 40 master, in groups also 50 owner. */
  access_level!: number;
  /** A day, `YYYY-MM-DD`, from whose 00:00 UTC on it gives nothing; null: it lasts. */
  expires_at!: string | null;
}

/**
 * The response to removing a user who is not a member of the project
 * (docs/reference/members.md#delete-projectsidmembersuser_id).
 */
export class AccessRevokedView {
  /** `Access revoked`. */
  message!: string;
  /** The user. */
  id!: number;
}

export const presentMember = (
  { user, accessLevel, expiresAt }: Member,
  users: UserPresenter,
): MemberView => ({ ...users.summary(user), access_level: accessLevel, expires_at: expiresAt });
