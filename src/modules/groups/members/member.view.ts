import { UserSummaryView } from '../../users/index.js';

/** A direct member of a project or group. */
export class MemberView extends UserSummaryView {
  /** 10 guest, 20 reporter, 30 developer, 40 master, in groups also 50 owner. */
  access_level!: number;
  /** A day, `YYYY-MM-DD`, from whose 00:00 UTC on it gives nothing; null: it lasts. */
  expires_at!: string | null;
}
