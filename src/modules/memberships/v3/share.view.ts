import type { Share } from '../shares/shares.repository.js';

/** Access to a project for the members of a group (docs/reference/members.md#post-projectsidshare). */
export class ShareView {
  id!: number;
  project_id!: number;
  group_id!: number;
  /** The highest level it gives: 10, 20, 30 or 40. */
  group_access!: number;
  /** A date, `YYYY-MM-DD`, from whose 00:00 UTC on it gives no access; null: no expiry. */
  expires_at!: string | null;
}

export const presentShare = (share: Share): ShareView => ({
  id: share.id,
  project_id: share.projectId,
  group_id: share.groupId,
  group_access: share.groupAccess,
  expires_at: share.expiresAt,
});
