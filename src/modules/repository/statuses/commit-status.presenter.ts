import { Injectable } from '@nestjs/common';
import { UserPresenter } from '../../users/index.js';
import type { CommitStatusView } from './commit-status.view.js';
import type { AuthoredStatus } from './list-statuses.js';

@Injectable()
export class CommitStatusPresenter {
  constructor(private readonly users: UserPresenter) {}

  present({ status, author }: AuthoredStatus): CommitStatusView {
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
      author: this.users.summary(author),
    };
  }
}
