import { Injectable } from '@nestjs/common';
import { BRANCH_PREFIX, type Repository, type Signature } from '../../../git/index.js';
import { Urls } from '../../../platform/config/index.js';
import { type DomainError, recordNotFound } from '../../../platform/errors/index.js';
import type { SlotCaller } from '../../../platform/limits/index.js';
import type { ProjectAccess } from '../../authorization/index.js';
import { DiscussionsRepository, IssuableRelations, referenceText } from '../../issuables/index.js';
import {
  ApiPush,
  committerOf,
  ProtectedBranchesService,
  CombinedStatuses,
  type PushPlan,
} from '../../repository/index.js';
import { PushLock } from '../../storage/index.js';
import { authorOf, type User, UsersRepository } from '../../users/index.js';
import { ClosedIssuesService } from '../merges/closed-issues.service.js';
import { MergesService } from '../merges/merges.service.js';
import {
  type LocatedMergeRequest,
  MergeRequestsRepository,
  type MergeRequestWithRelations,
} from '../model/merge-requests.repository.js';
import { isApproved, type MergeRules, requiresBase, squashes } from '../model/merge-rules.js';
import { mergeRefused } from '../model/refusals.js';
import { acceptRemovalColumns } from '../model/source-branch-removal.js';
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
import { createMergeCommits, type Heads, mergeMessage, namesAddress } from './merge-commit.js';

export interface AcceptInput extends MergeOptions {
  /** Whether to wait for the build if it has not succeeded yet. */
  whenBuildSucceeds: boolean;
  /** The head that the caller expects. */
  sha?: string | undefined;
  /** Whether a wrong head is refused only if nothing else is. */
  checksHeadLast?: boolean | undefined;
  /** Whether a request without any build need not wait for one, but waits for its threads to be resolved. */
  mergesWithoutBuild?: boolean | undefined;
}

/** A merge that has passed all checks, with the message of its commit. */
interface ReadyMerge {
  request: LocatedMergeRequest;
  options: MergeOptions & { message: string };
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
    private readonly discussions: DiscussionsRepository,
    private readonly users: UsersRepository,
    private readonly pushLock: PushLock,
    private readonly automaticMerges: AutomaticMergeService,
    private readonly closedIssues: ClosedIssuesService,
    private readonly apiPush: ApiPush,
    private readonly merges: MergesService,
    private readonly urls: Urls,
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
   * Merges a request that has passed all checks: pushes the commits of the merge, which also records the merge, then closes
   * the issues and removes the source branch.
   * @param isAutomatic whether the request waited for its build; it is then merged only if it still waits
   * @returns the request as it is then
   * @throws DomainError as `push`
   */
  async merge(
    merger: Merger,
    request: LocatedMergeRequest,
    options: MergeOptions,
    isAutomatic = false,
  ): Promise<LocatedMergeRequest> {
    const message = options.message ?? (await this.defaultMessage(merger, request));
    await this.push(merger, { request, options: { ...options, message }, isAutomatic });
    const merged = await this.merges.finishNow(request.id);
    return merged ?? this.find(request.projectId, request.id);
  }

  /**
   * Returns why a request cannot be accepted now; null when it can.
   * @throws DomainError merge refused when it was merged or changed meanwhile
   */
  async findRefusal(
    access: ProjectAccess,
    mergeRequest: LocatedMergeRequest,
    {
      sha,
      checksHeadLast,
      whenBuildSucceeds,
      squash,
      mergesWithoutBuild,
    }: Pick<
      AcceptInput,
      'sha' | 'checksHeadLast' | 'whenBuildSucceeds' | 'squash' | 'mergesWithoutBuild'
    >,
  ): Promise<DomainError | null> {
    const rules = await this.findRules(mergeRequest);
    const { client } = access.project;
    return findRefusal({
      mergeRequest,
      sha,
      checksHeadLast,
      mayMerge: () => this.protectedBranches.mayMerge(access, mergeRequest.targetBranch),
      awaitsResolution: async () =>
        rules.requiresResolution &&
        !(whenBuildSucceeds && mergesWithoutBuild === true) &&
        (await this.discussions.isUnresolved(mergeRequest.id)),
      awaitsBuild: async () =>
        rules.requiresBuild && !whenBuildSucceeds && (await this.awaitsBuild(mergeRequest)),
      lacksApprovals: !whenBuildSucceeds && !isApproved(rules, mergeRequest),
      isSquashForbidden: squash === true && !squashes(rules, true),
      isMergeable: () =>
        this.checkTwice(mergeRequest, client, async (request) => {
          return (await this.branches.checkMergeability(request, client)) === 'can_be_merged';
        }),
      needsRebase: async () => {
        const check = (request: LocatedMergeRequest) => this.branches.isBased(request, client);
        return requiresBase(rules) && !(await this.checkTwice(mergeRequest, client, check));
      },
    });
  }

  private async findRules(request: LocatedMergeRequest): Promise<MergeRules> {
    const rules = await this.mergeRequests.findRulesOf(request);
    if (rules === null) throw recordNotFound('merge-request');
    return rules;
  }

  private async find(projectId: number, id: number): Promise<LocatedMergeRequest> {
    const mergeRequest = await this.mergeRequests.findIn(projectId, id);
    if (mergeRequest === null) throw recordNotFound('merge-request');
    return mergeRequest;
  }

  private async awaitsBuild(mergeRequest: LocatedMergeRequest): Promise<boolean> {
    const pipeline = headPipeline(mergeRequest);
    if (pipeline === null) return false;
    const state = await this.statuses.ofPipeline(pipeline);
    return state !== null && !hasSucceeded(state);
  }

  /**
   * Checks twice: a request that another accept has merged, and not recorded yet, looks as if there were nothing to
   * merge, or as if it had to be rebased. The second check waits for the pushes under way.
   * @throws DomainError as `assertUnchanged`
   */
  private async checkTwice(
    mergeRequest: LocatedMergeRequest,
    client: SlotCaller | undefined,
    check: (request: LocatedMergeRequest) => Promise<boolean>,
  ): Promise<boolean> {
    if (await check(mergeRequest)) return true;
    const { projectId, id } = mergeRequest;
    const claim = { projectIds: [projectId], userId: client?.userId ?? null };
    const current = await this.pushLock.hold(claim, () => this.mergeRequests.findIn(projectId, id));
    assertUnchanged(current, mergeRequest);
    return check(current);
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
   * Under the push lock of the target project: creates the commits, locks the requests, commits the attempt, and
   * moves the branch. Not to be called inside a unit of work.
   * @throws DomainError merge refused, also when the request was closed, merged or changed meanwhile; conflict,
   *   unavailable, storage limit
   */
  private async push({ user, access }: Merger, merge: ReadyMerge): Promise<void> {
    await this.apiPush.push(
      { access, userId: user.id },
      async (repository) => {
        const plan = await this.plan(repository, user, merge);
        await this.lock(merge, user.id);
        return plan;
      },
      { isMerge: true, refused: () => mergeRefused('not-permitted') },
    );
  }

  /**
   * Creates the commits of the merge, as the rules of the project are now.
   * @throws DomainError when a branch does not exist, there is a conflict or nothing to merge, or the source branch has to be
   *   rebased
   */
  private async plan(
    repository: Repository,
    user: User,
    { request, options }: ReadyMerge,
  ): Promise<PushPlan> {
    const { id, headSha } = request;
    const ref = BRANCH_PREFIX + request.targetBranch;
    const oldOid = await repository.refs.get(ref);
    const heads = await this.branches.findHeads(request);
    if (oldOid === null || headSha === null || heads === null || heads.head === null) {
      throw await this.whyNot(request, mergeRefused('not-mergeable'));
    }
    const rules = await this.findRules(request);
    const squash = options.squash ?? request.squash;
    const committer = committerOf(user);
    const ends: Heads = { target: oldOid, head: headSha };
    const made = await createMergeCommits(repository, {
      ...ends,
      method: rules.method,
      committer,
      message: options.message,
      squash: squashes(rules, squash)
        ? {
            author: await this.findSquashAuthor(repository, ends, user, request),
            message: options.squashMessage ?? request.title,
          }
        : null,
    });
    if (typeof made === 'string') throw await this.whyNot(request, mergeRefused(made));
    const { objects, ...commits } = made;
    const attempt = {
      mergeRequestId: id,
      commitSha: commits.commitSha,
      result: { ...commits, targetSha: oldOid, squash },
      userId: user.id,
      ...acceptRemovalColumns(options.removeSourceBranch),
    };
    return {
      updates: [{ ref, oldOid, newOid: commits.commitSha }],
      objects,
      beforehand: () => this.merges.storeAttempt(attempt),
    };
  }

  /**
   * Returns the author of the squash commit of a request: its author, whose e-mail address is published by themselves only
   * (docs/reference/merge-requests.md#squashing).
   */
  private async findSquashAuthor(
    repository: Repository,
    ends: Heads,
    merger: User,
    { authorId }: LocatedMergeRequest,
  ): Promise<Signature> {
    if (authorId === merger.id) return committerOf(merger);
    const author = authorOf(await this.users.findAuthors([authorId]), authorId);
    const signature = committerOf(author);
    if (await namesAddress(repository, ends, signature.email)) return signature;
    return { ...signature, email: this.urls.emailWithoutMailbox(author.username) };
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
    // An approval may have been withdrawn since, and a thread begun.
    const rules = await this.findRules(request);
    if (!isApproved(rules, current)) throw mergeRefused('not-approved');
    if (rules.requiresResolution && (await this.discussions.isUnresolved(id))) {
      throw mergeRefused('discussions-unresolved');
    }
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
