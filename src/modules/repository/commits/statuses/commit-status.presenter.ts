import type { UserPresenter } from '../../../users/index.js';
import type { CommitStatusView } from './commit-status.view.js';
import type { AuthoredStatus } from './commit-statuses.service.js';

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
