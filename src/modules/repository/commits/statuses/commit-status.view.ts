import { UserSummaryView } from '../../../users/index.js';

/** A status of a commit (docs/reference/commit-statuses.md#the-commit-status-object). */
export class CommitStatusView {
  id!: number;
  sha!: string;
  ref!: string;
  name!: string;
  /** `pending`, `running`, `success`, `failed` or `canceled`. */
  status!: string;
  description!: string | null;
  target_url!: string | null;
  allow_failure!: boolean;
  created_at!: Date;
  started_at!: Date | null;
  finished_at!: Date | null;
  author!: UserSummaryView;
}
