import { Level } from '../../authorization/index.js';
import { type V4UserPresenter, V4UserBasicView } from '../../users/v4/index.js';
import type { Member } from '../members/member.rules.js';

/** A member of a project or group. */
export class V4MemberView extends V4UserBasicView {
  /** 10 guest, 20 reporter, 30 developer, 40 maintainer, 50 owner: of a group, or of a personal project. */
  access_level!: number;
  created_at!: Date;
  /** A day, `YYYY-MM-DD`, from whose 00:00 UTC on it gives nothing; null: it lasts. */
  expires_at!: string | null;
  /** Always `active`. */
  membership_state!: string;
}

export const presentV4Member = (member: Member, users: V4UserPresenter): V4MemberView => ({
  ...users.basic(member.user),
  access_level: member.isPersonalOwner ? Level.OWNER : member.accessLevel,
  created_at: member.createdAt,
  expires_at: member.expiresAt,
  membership_state: 'active',
});
