import { Injectable } from '@nestjs/common';
import type { PushedBranch } from '../../repository/index.js';
import { MergeRequestsRepository } from '../merge-requests.repository.js';
import { acceptersWish } from '../source-branch-removal.js';
import { MergeAttemptsRepository } from './merge-attempts.repository.js';
import { RecordMerge } from './record-merge.js';

/** Recognises by the attempts which merge requests a push has accepted. */
@Injectable()
export class AcceptedRequests {
  constructor(
    private readonly attempts: MergeAttemptsRepository,
    private readonly requests: MergeRequestsRepository,
    private readonly merges: RecordMerge,
  ) {}

  /**
   * Records their merges, in the unit of work that records the push: also after a crash, whatever git can
   * still say of the commits, and of a request that was closed before anybody knew.
   */
  async record(
    projectId: number,
    branches: readonly Pick<PushedBranch, 'name' | 'after'>[],
  ): Promise<void> {
    const arrived = await this.attempts.ofCommits(branches.map(({ after }) => after));
    for (const { mergeRequestId, commitSha, userId, ...attempt } of arrived) {
      const request = await this.requests.lockIn(projectId, mergeRequestId);
      if (request === null || request.state === 'merged') continue;
      const isThere = branches.some(
        ({ name, after }) => name === request.targetBranch && after === commitSha,
      );
      const removeSourceBranch = acceptersWish(attempt);
      if (isThere) await this.merges.run(request, { commitSha, userId, removeSourceBranch });
    }
  }
}
