import { type UserPresenter, UserSummaryView } from '../../../users/v3/index.js';
import type { AuthoredStatus } from '../../commits/statuses/commit-statuses.service.js';

/** A status of a commit (docs/reference/commit-statuses.md#the-commit-status-object). */
export class CommitStatusView {
  id!: number;
  sha!: string;
  ref!: string;
  name!: string;
  /** `pending`, `running`, `success`, `failed`, `canceled` or `skipped`. */
  status!: string;
  description!: string | null;
  target_url!: string | null;
  allow_failure!: boolean;
  created_at!: Date;
  started_at!: Date | null;
  finished_at!: Date | null;
  author!: UserSummaryView;
}

export function presentCommitStatus(
  { status, author }: AuthoredStatus,
  users: UserPresenter,
): CommitStatusView {
  return {
    id: status.id,
    sha: status.sha,
    ref: status.ref,
    name: status.name,
    status: status.status,
    description: status.description,
    target_url: status.targetUrl,
    allow_failure: status.allowFailure,
    created_at: status.createdAt,
    started_at: status.startedAt,
    finished_at: status.finishedAt,
    author: users.summary(author),
  };
}
