import { UserSummaryView } from '../../users/index.js';

/** An emoji that somebody awarded (open points 3.15). */
export class AwardView {
  id!: number;
  /** Without colons. */
  name!: string;
  user!: UserSummaryView;
  created_at!: Date;
  updated_at!: Date;
  awardable_id!: number;
  /** `Issue`, `MergeRequest` or `Note`. */
  awardable_type!: string;
}
