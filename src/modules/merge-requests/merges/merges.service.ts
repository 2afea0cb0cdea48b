import { Injectable, Logger } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { DomainError } from '../../../platform/errors/index.js';
import { OnDomainEvent } from '../../../platform/events/index.js';
import { defineJob, HandlesJob, type JobHandler, Outbox } from '../../../platform/queue/index.js';
import {
  IssuesService,
  type Closing,
  type ClosingCreditSource,
  ProvidesClosingCredits,
} from '../../issues/index.js';
import {
  BranchesService,
  POST_RECEIVE_DELAY_MS,
  type PushedBranch,
  PushPhase,
  PushRecorded,
} from '../../repository/index.js';
import { ActingUsers } from '../../users/index.js';
import { MergeRequestChangeRecorder } from '../changes/merge-request-change-recorder.js';
import { issuableOf } from '../model/merge-request-kind.js';
import type { MergeAttempt, MergeResult } from '../model/merge-request.entity.js';
import { MergeRequestChanged } from '../model/merge-request.events.js';
import {
  type LocatedMergeRequest,
  MergeRequestsRepository,
} from '../model/merge-requests.repository.js';
import {
  acceptRemovalColumns,
  removalRequesterId,
  requestedOnAccept,
  type SourceBranchRemoval,
} from '../model/source-branch-removal.js';
import { MergeRequestBranches } from '../versions/merge-request-branches.js';
import { ClosedIssuesService } from './closed-issues.service.js';
import {
  type AttemptedMerge,
  MergeAttemptsRepository,
  type NewAttempt,
} from './merge-attempts.repository.js';

/** What a merge makes of its request. */
type RequestResult = Pick<MergeResult, 'mergeCommitSha' | 'squashCommitSha' | 'squash'>;

/** Who merged a request, and by which commits. */
interface Merge {
  /** Null when a push brought the commits of the source branch. */
  result: RequestResult | null;
  /** The user who accepted the request, or who pushed. */
  userId: number;
  /** Sent by the user who accepted it; absent when it was merged by a push. */
  removeSourceBranch?: SourceBranchRemoval;
}

export interface MergeRequestPayload {
  mergeRequestId: number;
}

/** Finishes a recorded merge, where the request that accepted it has ended before it did so. */
const finishMerge = defineJob<MergeRequestPayload>('merge-requests', 'finish-merge', {
  attempts: 10,
  timeLimitMs: 5 * 60_000,
});

/**
 * Records that merge requests are merged, whether accepted or merged by a push, and finishes merges: closes their
 * issues and removes the source branch (docs/reference/merge-requests.md#accepting). The attempt's row shows that a
 * merge is not finished; each step of finishing can be repeated.
 */
@Injectable()
@HandlesJob(finishMerge)
@ProvidesClosingCredits()
export class MergesService implements JobHandler<MergeRequestPayload>, ClosingCreditSource {
  private readonly logger = new Logger(MergesService.name);

  constructor(
    private readonly work: UnitOfWork,
    private readonly mergeRequests: MergeRequestsRepository,
    private readonly attempts: MergeAttemptsRepository,
    private readonly changes: MergeRequestChangeRecorder,
    private readonly closedIssues: ClosedIssuesService,
    private readonly issues: IssuesService,
    private readonly users: ActingUsers,
    private readonly branches: MergeRequestBranches,
    private readonly branchWrites: BranchesService,
    private readonly outbox: Outbox,
  ) {}

  /** Stores an attempt, by which the record of its push finds the merge. Overwrites an earlier one of the request. */
  async storeAttempt(attempt: NewAttempt): Promise<void> {
    await this.attempts.put(attempt);
  }

  /**
   * Records the merges whose commits a push has brought to their target branches, found by their attempts. Works
   * after a crash, too, whatever git can still read of the commits, and for a request that was closed meanwhile.
   */
  @OnDomainEvent(PushRecorded, { order: PushPhase.RECORD_MERGES })
  async recordAccepted(push: PushRecorded): Promise<void> {
    const { projectId, branches, deletedBranches } = push;
    const commits = branches.map(({ after }) => after);
    if (!(await this.attempts.haveCreated(commits))) return;
    // Everything that the push concerns, in one order before any of it is changed.
    const names = [...deletedBranches, ...branches.map(({ name }) => name)];
    const fromSources = await this.mergeRequests.findIdsFrom(projectId, names);
    await this.mergeRequests.lockAffected(projectId, names, fromSources);
    for (const { mergeRequest, attempt } of await this.attempts.lockByCommits(projectId, commits)) {
      if (mergeRequest.state === 'merged') continue;
      const isOfAttempt = branches.some(
        (branch) => branch.name === mergeRequest.targetBranch && hasBrought(attempt, push, branch),
      );
      if (!isOfAttempt) continue;
      const result = resultOf(mergeRequest, attempt);
      const { userId } = attempt;
      const removeSourceBranch = requestedOnAccept(attempt);
      await this.record(mergeRequest, { result, userId, removeSourceBranch });
    }
  }

  /** Records a merge. Call in the unit of work that records the push and has locked the request. */
  async record(before: LocatedMergeRequest, merge: Merge): Promise<void> {
    const { result, userId, removeSourceBranch } = merge;
    const { id, projectId, headSha } = before;
    if (result === null) {
      const attempt = { mergeRequestId: id, commitSha: headSha ?? '', result, userId };
      await this.attempts.put({ ...attempt, ...acceptRemovalColumns(null) });
    }
    // A request that accepts finishes the merge before its response, a push does not.
    const delayMs = result === null ? 0 : POST_RECEIVE_DELAY_MS;
    await this.outbox.add(finishMerge.with({ mergeRequestId: id }, { delayMs }));
    const merged = {
      state: 'merged',
      mergeCommitSha: result?.mergeCommitSha ?? null,
      squashCommitSha: result?.squashCommitSha ?? null,
      squash: result?.squash ?? before.squash,
      mergeUserId: userId,
      mergeWhenBuildSucceeds: false,
      mergeCommitMessage: null,
      squashCommitMessage: null,
      rebaseProblem: null,
      ...(removeSourceBranch === undefined ? {} : acceptRemovalColumns(removeSourceBranch)),
    } as const;
    const after = await this.changes.write({ before, after: { ...before, ...merged } }, userId);
    await this.changes.finishTodo(issuableOf(after), userId);
    await this.changes.publishChanges([new MergeRequestChanged(projectId, id, userId, 'merge')]);
  }

  /** Runs the job `finishMerge`. */
  async handle({ mergeRequestId }: MergeRequestPayload): Promise<void> {
    await this.finish(mergeRequestId);
  }

  /**
   * Finishes a merge before the response, and removes its job. A failure is logged and left to the job.
   * @returns the request; null when there was nothing to finish or finishing has failed
   */
  async finishNow(mergeRequestId: number): Promise<LocatedMergeRequest | null> {
    try {
      const merged = await this.finish(mergeRequestId);
      await this.work.run(() => this.outbox.takeOver(finishMerge.with({ mergeRequestId })));
      return merged;
    } catch (error) {
      this.logger.warn(`Merge request ${String(mergeRequestId)} is left to its job`, error);
      return null;
    }
  }

  /** Credits issues that a push closes to the merges of its branch that are not finished yet. */
  async creditsOf(projectId: number, branch: string): Promise<Closing[]> {
    const merges = await this.attempts.findUnfinishedIn(projectId, branch);
    const closings = merges.map(({ mergeRequest, attempt }) =>
      this.closedIssues.findClosings(mergeRequest, attempt.userId),
    );
    return (await Promise.all(closings)).flat();
  }

  private async finish(mergeRequestId: number): Promise<LocatedMergeRequest | null> {
    const merge = await this.attempts.findUnfinished(mergeRequestId);
    if (merge === null) return null;
    const { mergeRequest, attempt } = merge;
    for (const closing of await this.closedIssues.findClosings(mergeRequest, attempt.userId)) {
      await this.issues.close(closing);
    }
    await this.removeSourceBranch(merge);
    return mergeRequest;
  }

  /**
   * Removes the source branch if that was asked for, and the attempt. Keeps a branch that has moved, is protected
   * or the default branch, or that the user who asked may not delete
   * (docs/reference/merge-requests.md#removing-the-source-branch).
   * @throws DomainError unavailable
   */
  private async removeSourceBranch(merge: AttemptedMerge): Promise<void> {
    const { id, sourceBranch: name, headSha: target } = merge.mergeRequest;
    const removeAttempt = (): Promise<void> => this.attempts.remove(id);
    const pusher = await this.findRemover(merge);
    if (pusher === null || target === null) return removeAttempt();
    try {
      await this.branchWrites.deleteIfUnchanged(pusher, { name, target }, removeAttempt);
    } catch (error) {
      if (!(error instanceof DomainError) || error.detail.code === 'unavailable') throw error;
      await removeAttempt();
    }
  }

  /** Finds the user who asked for the removal, with the access that they have now. */
  private async findRemover({ mergeRequest, attempt }: AttemptedMerge) {
    const userId = removalRequesterId(mergeRequest, attempt);
    const { mergeCommitSha } = resultOf(mergeRequest, attempt);
    // A request that a push has merged has no merge commit.
    if (userId === null || mergeRequest.mergeCommitSha !== mergeCommitSha) return null;
    const user = await this.users.find(userId);
    if (user === null) return null;
    const access = await this.branches.findRemovableSource(user, mergeRequest.sourceProjectId);
    return access === null ? null : { access, userId };
  }
}

/** What an attempt makes of its request. */
function resultOf(
  { squash }: Pick<LocatedMergeRequest, 'squash'>,
  attempt: MergeAttempt,
): RequestResult {
  const { commitSha, result } = attempt;
  if (result?.commitSha === commitSha) return result;
  return { mergeCommitSha: commitSha, squashCommitSha: null, squash };
}

/**
 * Whether a push that has moved the target branch to the commit of an attempt is that of the attempt. No other one has its
 * merge commit or squash commit, but everybody can push the head of a source branch: then user and former head agree as well.
 */
function hasBrought(
  { commitSha, userId, result }: MergeAttempt,
  push: Pick<PushRecorded, 'userId'>,
  { before, after }: PushedBranch,
): boolean {
  if (after !== commitSha) return false;
  const isOwnCommit =
    result?.commitSha !== commitSha ||
    result.mergeCommitSha !== null ||
    result.squashCommitSha !== null;
  return isOwnCommit || (before === result.targetSha && push.userId === userId);
}
