import { Injectable } from '@nestjs/common';
import { BRANCH_PREFIX, type Repository } from '../../../git/index.js';
import { type DomainError, recordNotFound } from '../../../platform/errors/index.js';
import type { SlotCaller } from '../../../platform/limits/index.js';
import type { ProjectAccess } from '../../authorization/index.js';
import { IssuableRelations, referenceText } from '../../issuables/index.js';
import {
  ApiPush,
  ProtectedBranchesService,
  CombinedStatuses,
  type PushPlan,
} from '../../repository/index.js';
import { PushLock } from '../../storage/index.js';
import type { User } from '../../users/index.js';
import { ClosedIssuesService } from '../merges/closed-issues.service.js';
import { MergesService } from '../merges/merges.service.js';
import {
  type LocatedMergeRequest,
  MergeRequestsRepository,
  type MergeRequestWithRelations,
} from '../model/merge-requests.repository.js';
import { mergeRefused } from '../model/refusals.js';
import { acceptRemovalColumns, type SourceBranchRemoval } from '../model/source-branch-removal.js';
import { MergeRequestBranches } from '../versions/merge-request-branches.js';
import {
  assertUnchanged,
  findRefusal,
  hasSucceeded,
  headPipeline,
  type Merger,
  type MergeOptions,
} from './accept-checks.js';
import { AutomaticMergeService } from './automatic-merge.service.js';
import { createMergeCommit, mergeMessage } from './merge-commit.js';

export interface AcceptInput extends MergeOptions {
  /** Whether to wait for the build if it has not succeeded yet. */
  whenBuildSucceeds: boolean;
  /** The head that the caller expects. */
  sha?: string | undefined;
  /** Whether a wrong head is refused only if nothing else is. */
  checksHeadLast?: boolean | undefined;
  /** Whether a request without any build is merged at once although it is to wait for one. */
  mergesWithoutBuild?: boolean | undefined;
}

/** A merge that has passed all checks, with the message of its commit. */
interface ReadyMerge {
  request: LocatedMergeRequest;
  message: string;
  removeSourceBranch: SourceBranchRemoval;
  /** Whether the request waited for its build; it is then merged only if it still waits. */
  isAutomatic: boolean;
}

/**
 * Accepts merge requests (docs/reference/merge-requests.md#accepting, docs/decisions/0026-accepting.md): `accept` and
 * `merge` name the steps in their order. The record of the push makes the request merged
 * (`MergesService.recordAccepted`), also when a crash interrupts the push and it is recovered later.
 */
@Injectable()
export class AcceptService {
  constructor(
    private readonly mergeRequests: MergeRequestsRepository,
    private readonly relations: IssuableRelations,
    private readonly branches: MergeRequestBranches,
    private readonly protectedBranches: ProtectedBranchesService,
    private readonly statuses: CombinedStatuses,
    private readonly pushLock: PushLock,
    private readonly automaticMerges: AutomaticMergeService,
    private readonly closedIssues: ClosedIssuesService,
    private readonly apiPush: ApiPush,
    private readonly merges: MergesService,
  ) {}

  /**
   * Accepts a request: merges it now, or has it wait for its build. Not to be called inside a unit of work.
   * @returns the request as it is then
   * @throws DomainError record not found, merge refused, other head; as `push`
   */
  async accept(merger: Merger, id: number, input: AcceptInput): Promise<MergeRequestWithRelations> {
    const { user, access } = merger;
    const request = await this.find(access.project.id, id);
    const refusal = await this.findRefusal(access, request, input);
    if (refusal !== null) throw refusal;
    const waiting = input.whenBuildSucceeds
      ? await this.automaticMerges.enable(user, request, input)
      : null;
    const accepted = waiting ?? (await this.merge(merger, request, input));
    return this.relations.loadOne('MergeRequest', accepted, user);
  }

  /**
   * Merges a request that has passed all checks: pushes the merge commit, which also records the merge, then closes
   * the issues and removes the source branch.
   * @param isAutomatic whether the request waited for its build; it is then merged only if it still waits
   * @returns the request as it is then
   * @throws DomainError as `push`
   */
  async merge(
    merger: Merger,
    request: LocatedMergeRequest,
    { message: sent, removeSourceBranch }: MergeOptions,
    isAutomatic = false,
  ): Promise<LocatedMergeRequest> {
    const message = sent ?? (await this.defaultMessage(merger, request));
    await this.push(merger, { request, message, removeSourceBranch, isAutomatic });
    const merged = await this.merges.finishNow(request.id);
    return merged ?? this.find(request.projectId, request.id);
  }

  /**
   * Returns why a request cannot be accepted now; null when it can.
   * @throws DomainError merge refused when it was merged or changed meanwhile
   */
  findRefusal(
    access: ProjectAccess,
    mergeRequest: LocatedMergeRequest,
    {
      sha,
      checksHeadLast,
      whenBuildSucceeds,
    }: Pick<AcceptInput, 'sha' | 'checksHeadLast' | 'whenBuildSucceeds'>,
  ): Promise<DomainError | null> {
    return findRefusal({
      mergeRequest,
      sha,
      checksHeadLast,
      mayMerge: () => this.protectedBranches.mayMerge(access, mergeRequest.targetBranch),
      awaitsBuild: async () => !whenBuildSucceeds && (await this.awaitsBuild(mergeRequest)),
      isMergeable: () => this.isMergeable(mergeRequest, access.project.client),
    });
  }

  private async find(projectId: number, id: number): Promise<LocatedMergeRequest> {
    const mergeRequest = await this.mergeRequests.findIn(projectId, id);
    if (mergeRequest === null) throw recordNotFound('merge-request');
    return mergeRequest;
  }

  private async awaitsBuild(mergeRequest: LocatedMergeRequest): Promise<boolean> {
    const pipeline = headPipeline(mergeRequest);
    if (pipeline === null) return false;
    if (!(await this.mergeRequests.requiresBuild(mergeRequest.projectId))) return false;
    const state = await this.statuses.ofPipeline(pipeline);
    return state !== null && !hasSucceeded(state);
  }

  /**
   * Checks twice: a request that another accept has merged, and not recorded yet, looks as if there were nothing to
   * merge. The second check waits for the pushes under way.
   * @throws DomainError as `assertUnchanged`
   */
  private async isMergeable(
    mergeRequest: LocatedMergeRequest,
    client: SlotCaller | undefined,
  ): Promise<boolean> {
    if ((await this.branches.checkMergeability(mergeRequest, client)) === 'can_be_merged')
      return true;
    const { projectId, id } = mergeRequest;
    const claim = { projectIds: [projectId], userId: client?.userId ?? null };
    const current = await this.pushLock.hold(claim, () => this.mergeRequests.findIn(projectId, id));
    assertUnchanged(current, mergeRequest);
    return (await this.branches.checkMergeability(current, client)) === 'can_be_merged';
  }

  private async defaultMessage(
    { user, access }: Merger,
    mergeRequest: LocatedMergeRequest,
  ): Promise<string> {
    const { project } = access;
    const issues = await this.closedIssues.find(mergeRequest, project, user);
    const references = issues.map(({ issuable, access: { project: home } }) =>
      referenceText(`#${String(issuable.iid)}`, home, project),
    );
    return mergeMessage(mergeRequest, references);
  }

  /**
   * Under the push lock of the target project: creates the merge commit, locks the requests, commits the attempt, and
   * moves the branch. Not to be called inside a unit of work.
   * @throws DomainError merge refused, also when the request was closed, merged or changed meanwhile; conflict,
   *   unavailable, storage limit
   */
  private async push({ user, access }: Merger, merge: ReadyMerge): Promise<void> {
    await this.apiPush.push(
      { access, userId: user.id },
      async (repository) => {
        const plan = await this.plan(repository, user, merge);
        if (plan === null) throw await this.whyNot(merge.request, mergeRefused('not-mergeable'));
        await this.lock(merge, user.id);
        return plan;
      },
      { isMerge: true, refused: () => mergeRefused('not-permitted') },
    );
  }

  /** Creates the merge commit. Null when a branch does not exist, there is a conflict, or nothing to merge. */
  private async plan(
    repository: Repository,
    user: User,
    { request, message, removeSourceBranch }: ReadyMerge,
  ): Promise<PushPlan | null> {
    const { id, headSha } = request;
    const ref = BRANCH_PREFIX + request.targetBranch;
    const oldOid = await repository.refs.get(ref);
    const heads = await this.branches.findHeads(request);
    if (oldOid === null || headSha === null || heads === null || heads.head === null) return null;
    const commit = await createMergeCommit(repository, user, [oldOid, headSha], message);
    if (commit === null) return null;
    const attempt = {
      mergeRequestId: id,
      commitSha: commit.oid,
      userId: user.id,
      ...acceptRemovalColumns(removeSourceBranch),
    };
    return {
      updates: [{ ref, oldOid, newOid: commit.oid }],
      objects: commit.objects,
      beforehand: () => this.merges.storeAttempt(attempt),
    };
  }

  /**
   * Locks the merge request and every other open request of the target branch until the merge is recorded.
   * @throws DomainError when the request is not what it was when it was checked
   */
  private async lock({ request, isAutomatic }: ReadyMerge, userId: number): Promise<void> {
    const { projectId, id, targetBranch } = request;
    const locked = await this.mergeRequests.lockOfBranches(projectId, [targetBranch]);
    const current = locked.find((one) => one.id === id);
    if (current === undefined) throw await this.whyNot(request, mergeRefused('changed'));
    assertUnchanged(current, request);
    const stillWaits = current.mergeWhenBuildSucceeds && current.mergeUserId === userId;
    if (isAutomatic && !stillWaits) throw mergeRefused('changed');
  }

  /**
   * Returns why a request is not merged: what has happened to it meanwhile, or another reason. Git finds nothing to
   * merge in a request that was merged, and the lock finds only open ones of the branch.
   */
  private async whyNot(checked: LocatedMergeRequest, otherwise: DomainError): Promise<DomainError> {
    assertUnchanged(await this.mergeRequests.findIn(checked.projectId, checked.id), checked);
    return otherwise;
  }
}
