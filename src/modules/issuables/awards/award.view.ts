import { UserSummaryView } from '../../users/index.js';

/** An emoji that a user awarded (docs/reference/award-emoji.md#the-award-object). */
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
