import { Injectable } from '@nestjs/common';
import { Outbox } from '../../../platform/queue/index.js';
import { issuableOf } from '../merge-request-kind.js';
import { MergeRequestChanged } from '../merge-request.events.js';
import type { LocatedMergeRequest } from '../merge-requests.repository.js';
import { type SourceBranchRemoval, storedRemoval } from '../source-branch-removal.js';
import { MergeRequestChanges } from '../writes/merge-request-changes.js';
import { MergeRequestOutcome } from '../writes/merge-request-outcome.js';
import { finishMerge } from './accept.jobs.js';
import { MergeAttemptsRepository } from './merge-attempts.repository.js';
import { MergesRepository } from './merges.repository.js';

export interface Merge {
  /** The merge commit; null when the push brought the commits themselves. */
  commitSha: string | null;
  /** Who merged: who accepted, or who pushed. */
  userId: number;
  /** What was said on accepting it; absent for one that was merged by a push. */
  removeSourceBranch?: SourceBranchRemoval;
}

/**
 * Writes that a merge request is merged, however that came about and whoever finds it out
 * (docs/reference/merge-requests.md#accepting). What may take its time, closing issues and removing
 * the source branch, is left to `FinishMerge`.
 */
@Injectable()
export class RecordMerge {
  constructor(
    private readonly merges: MergesRepository,
    private readonly attempts: MergeAttemptsRepository,
    private readonly changes: MergeRequestChanges,
    private readonly outcome: MergeRequestOutcome,
    private readonly outbox: Outbox,
  ) {}

  /** Call in the unit of work that records the push and has locked the request, which is not merged. */
  async run(before: LocatedMergeRequest, merge: Merge): Promise<void> {
    const { commitSha, userId, removeSourceBranch } = merge;
    const { id, projectId, headSha } = before;
    await this.merges.noteCommit(id, commitSha);
    if (commitSha === null) {
      const attempt = { mergeRequestId: id, commitSha: headSha ?? '', userId };
      await this.attempts.put({ ...attempt, ...storedRemoval(null) });
    }
    await this.outbox.add(finishMerge.with({ mergeRequestId: id }));
    const merged = {
      state: 'merged',
      mergeUserId: userId,
      mergeWhenBuildSucceeds: false,
      mergeCommitMessage: null,
      ...(removeSourceBranch === undefined ? {} : storedRemoval(removeSourceBranch)),
    } as const;
    const after = await this.changes.write({ before, after: { ...before, ...merged } }, userId);
    await this.outcome.finishTodo(issuableOf(after), userId);
    await this.outcome.done([new MergeRequestChanged(projectId, id, userId, 'merge')]);
  }
}
