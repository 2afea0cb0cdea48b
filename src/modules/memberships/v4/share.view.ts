/** Access to a project for the members of a group. */
export class V4ShareView {
  id!: number;
  project_id!: number;
  group_id!: number;
  /** The highest level it gives: 10, 20, 30 or 40. */
  group_access!: number;
  /** A date, `YYYY-MM-DD`, from whose 00:00 UTC on it gives no access; null: no expiry. */
  expires_at!: string | null;
}
