import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { SystemNotesRepository } from '../../issuables/index.js';
import { Pipelines } from '../../repository/index.js';
import type { User } from '../../users/index.js';
import { assertUnchanged } from '../accept/accept-checks.js';
import { hasSucceeded, headPipeline } from '../accept/head-pipeline.js';
import type { MergeTerms } from '../accept/merge-terms.js';
import { issuableOf } from '../merge-request-kind.js';
import { type LocatedMergeRequest, MergeRequestsRepository } from '../merge-requests.repository.js';
import { storedRemoval } from '../source-branch-removal.js';
import { MergeRequestChanges } from '../writes/merge-request-changes.js';

/**
 * Has merge requests wait for their builds
 * (docs/reference/merge-requests.md#merging-when-the-build-succeeds).
 */
@Injectable()
export class BeginWaiting {
  constructor(
    private readonly work: UnitOfWork,
    private readonly requests: MergeRequestsRepository,
    private readonly changes: MergeRequestChanges,
    private readonly notes: SystemNotesRepository,
    private readonly pipelines: Pipelines,
  ) {}

  /**
   * Notes who wants it merged and how. Whoever posts a status of the head waits meanwhile, so that a
   * success is either seen here or finds the request waiting.
   * @param seen the request as it was judged
   * @returns false when the build has succeeded, so that there is nothing to wait for
   * @throws DomainError record not found, not acceptable, conflict
   */
  run(user: User, seen: LocatedMergeRequest, terms: MergeTerms): Promise<boolean> {
    return this.work.run(async () => {
      const before = await this.requests.lockIn(seen.projectId, seen.id);
      assertUnchanged(before, seen);
      const pipeline = headPipeline(before);
      if (pipeline !== null && hasSucceeded(await this.pipelines.hold(pipeline))) return false;
      const after = {
        ...before,
        mergeWhenBuildSucceeds: true,
        mergeUserId: user.id,
        mergeCommitMessage: terms.message,
        ...storedRemoval(terms.removeSourceBranch),
      };
      await this.changes.write({ before, after }, user.id);
      if (before.mergeWhenBuildSucceeds) return true;
      const text = `enabled an automatic merge when the pipeline for ${before.headSha ?? ''} succeeds`;
      await this.notes.insert(issuableOf(before), user.id, text);
      return true;
    });
  }
}
