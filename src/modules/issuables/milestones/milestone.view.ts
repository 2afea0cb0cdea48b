/** A milestone (specification 2.3; open points 3.4). */
export class MilestoneView {
  id!: number;
  /** Number within the project. */
  iid!: number;
  project_id!: number;
  title!: string;
  description!: string | null;
  /** `active` or `closed`. */
  state!: string;
  /** A day, `YYYY-MM-DD`. */
  due_date!: string | null;
  /** A day, `YYYY-MM-DD`. */
  start_date!: string | null;
  created_at!: Date;
  updated_at!: Date;
}
