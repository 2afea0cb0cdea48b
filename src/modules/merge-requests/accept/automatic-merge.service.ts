import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { recordNotFound } from '../../../platform/errors/index.js';
import { OnDomainEvent } from '../../../platform/events/index.js';
import { defineJob, Outbox } from '../../../platform/queue/index.js';
import type { ProjectAccess } from '../../authorization/index.js';
import {
  DiscussionsRepository,
  DiscussionsResolved,
  IssuableRelations,
  NotesRepository,
  TodosService,
} from '../../issuables/index.js';
import {
  type CombinedState,
  CombinedStatuses,
  CommitStatusChanged,
  ProtectedBranchesService,
} from '../../repository/index.js';
import type { User } from '../../users/index.js';
import { MergeRequestChangeRecorder } from '../changes/merge-request-change-recorder.js';
import { NO_AUTOMATIC_MERGE } from '../changes/merge-request-change.js';
import type { MergeRequestPayload } from '../merges/merges.service.js';
import { issuableOf } from '../model/merge-request-kind.js';
import { isOpen, type MergeRequest } from '../model/merge-request.entity.js';
import {
  type LocatedMergeRequest,
  MergeRequestsRepository,
  type MergeRequestWithRelations,
} from '../model/merge-requests.repository.js';
import { isApproved } from '../model/merge-rules.js';
import { cancelRefused } from '../model/refusals.js';
import { acceptRemovalColumns } from '../model/source-branch-removal.js';
import {
  assertUnchanged,
  hasSucceeded,
  headPipeline,
  type Merger,
  type MergeOptions,
} from './accept-checks.js';

/** Merges a request that waited for its build, for approvals or for resolved threads. */
export const mergeWhenBuildSucceeds = defineJob<MergeRequestPayload>(
  'merge-requests',
  'merge-when-build-succeeds',
  { attempts: 10, timeLimitMs: 5 * 60_000 },
);

/** Whether the build of a request that waits allows the merge. @param state of the build; null without one */
const isBuilt = (
  state: CombinedState | null,
  { mergesWithoutBuild }: Pick<MergeRequest, 'mergesWithoutBuild'>,
): boolean => hasSucceeded(state) || (state === null && mergesWithoutBuild);

/**
 * Merge requests that wait for their build, and the effects of commit statuses on merge requests
 * (docs/reference/merge-requests.md#merging-when-the-build-succeeds). `MergeWhenBuildSucceedsJob` merges them.
 */
@Injectable()
export class AutomaticMergeService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly mergeRequests: MergeRequestsRepository,
    private readonly relations: IssuableRelations,
    private readonly changes: MergeRequestChangeRecorder,
    private readonly notes: NotesRepository,
    private readonly discussions: DiscussionsRepository,
    private readonly todos: TodosService,
    private readonly statuses: CombinedStatuses,
    private readonly protectedBranches: ProtectedBranchesService,
    private readonly outbox: Outbox,
  ) {}

  /**
   * Has a request wait for its build, approvals and resolved threads. Locks the pipeline against new statuses, so that a success is either
   * found here, or finds the request waiting.
   * @param checked the request as it was checked
   * @param options.mergesWithoutBuild whether a request without a build need not wait for one
   * @returns the request as stored; null when there is nothing to wait for
   * @throws DomainError record not found, merge refused
   */
  enable(
    user: User,
    checked: LocatedMergeRequest,
    options: MergeOptions & { readonly mergesWithoutBuild?: boolean | undefined },
  ): Promise<LocatedMergeRequest | null> {
    return this.work.run(async () => {
      const before = await this.mergeRequests.lockIn(checked.projectId, checked.id);
      assertUnchanged(before, checked);
      const pipeline = headPipeline(before);
      const state = pipeline && (await this.statuses.lockPipeline(pipeline));
      const { mergesWithoutBuild = false } = options;
      const isClear = await this.isClear(before);
      if (isClear && isBuilt(state, { mergesWithoutBuild })) return null;
      const after = {
        ...before,
        mergeWhenBuildSucceeds: true,
        mergesWithoutBuild,
        mergeUserId: user.id,
        mergeCommitMessage: options.message,
        squash: options.squash ?? before.squash,
        squashCommitMessage: options.squashMessage,
        ...acceptRemovalColumns(options.removeSourceBranch),
      };
      const stored = await this.changes.write({ before, after }, user.id);
      if (before.mergeWhenBuildSucceeds) return stored;
      const head = before.headSha ?? '';
      const what = isClear
        ? `the pipeline for ${head} succeeds`
        : `all merge checks for ${head} pass`;
      const text = `enabled an automatic merge when ${what}`;
      await this.notes.insertSystemNote(issuableOf(before), user.id, text);
      return stored;
    });
  }

  /** Whether a request waits for nothing any more. */
  async isDue(request: LocatedMergeRequest): Promise<boolean> {
    if (!isOpen(request) || !request.mergeWhenBuildSucceeds) return false;
    if (!(await this.isClear(request))) return false;
    const pipeline = headPipeline(request);
    return pipeline !== null && isBuilt(await this.statuses.ofPipeline(pipeline), request);
  }

  /** Whether a request has the approvals, and the resolved threads, that its project requires. */
  private async isClear(request: LocatedMergeRequest): Promise<boolean> {
    const rules = await this.mergeRequests.findRulesOf(request);
    if (rules === null || !isApproved(rules, request)) return false;
    return !rules.requiresResolution || !(await this.discussions.isUnresolved(request.id));
  }

  /**
   * Has a request no longer wait for its build, for the author and users who may accept it.
   * @throws DomainError record not found, cancel refused
   */
  async cancel({ user, access }: Merger, id: number): Promise<MergeRequestWithRelations> {
    const canceled = await this.work.run(async () => {
      const current = await this.mergeRequests.lockIn(access.project.id, id);
      if (current === null) throw recordNotFound('merge-request');
      if (!(await this.mayCancel(access, user.id, current))) throw cancelRefused('not-permitted');
      if (!isOpen(current)) throw cancelRefused('not-open');
      if (!current.mergeWhenBuildSucceeds) throw cancelRefused('not-waiting');
      return this.disable(current, user.id);
    });
    return this.relations.loadOne('MergeRequest', canceled, user);
  }

  /** Has a request no longer wait for its build, since the user in whose name it waits may not merge any more. */
  async revoke(request: LocatedMergeRequest, mergerId: number): Promise<void> {
    await this.work.run(async () => {
      const current = await this.mergeRequests.lockIn(request.projectId, request.id);
      if (current === null || !current.mergeWhenBuildSucceeds) return;
      if (current.mergeUserId === mergerId) await this.disable(current, mergerId);
    });
  }

  /**
   * Marks todos of failed builds, and adds jobs for the requests that wait for a build that has succeeded. Locks no
   * request: `enable` locks the pipeline as the transaction that records a status does.
   */
  @OnDomainEvent(CommitStatusChanged)
  async followStatus(changed: CommitStatusChanged): Promise<void> {
    const { change, combined } = changed;
    const isRetried = change.from === null && change.follows === 'failed';
    const isFailure = change.to === 'failed';
    const isSuccess = hasSucceeded(combined.to);
    if (!isRetried && !isFailure && !isSuccess) return;
    const requests = await this.mergeRequests.findOpenOfPipeline(changed);
    if (isRetried) await this.finishTodos(requests);
    if (isFailure) await this.addTodos(requests.map(({ id }) => id));
    if (!isSuccess) return;
    for (const { id, mergeWhenBuildSucceeds: waits } of requests) {
      const job = mergeWhenBuildSucceeds.with({ mergeRequestId: id });
      if (waits) await this.outbox.addUnlessWaiting(job);
    }
  }

  /** Adds a job for a request that waits, once its threads are resolved. */
  @OnDomainEvent(DiscussionsResolved)
  async followResolution({ mergeRequestId }: DiscussionsResolved): Promise<void> {
    const [request] = await this.mergeRequests.findHeads([mergeRequestId]);
    if (request === undefined || !isOpen(request) || !request.mergeWhenBuildSucceeds) return;
    await this.outbox.addUnlessWaiting(mergeWhenBuildSucceeds.with({ mergeRequestId }));
  }

  private async mayCancel(
    access: ProjectAccess,
    userId: number,
    { authorId, targetBranch }: LocatedMergeRequest,
  ): Promise<boolean> {
    const isOwn = authorId === userId && !access.project.archived;
    return isOwn || this.protectedBranches.mayMerge(access, targetBranch);
  }

  private async disable(
    before: LocatedMergeRequest,
    actorId: number,
  ): Promise<LocatedMergeRequest> {
    await this.notes.insertSystemNote(issuableOf(before), actorId, 'canceled the automatic merge');
    return this.changes.write({ before, after: { ...before, ...NO_AUTOMATIC_MERGE } }, actorId);
  }

  private async finishTodos(requests: readonly { id: number; authorId: number }[]): Promise<void> {
    for (const { id, authorId } of requests) {
      await this.todos.finish({ type: 'MergeRequest', id }, authorId);
    }
  }

  private async addTodos(ids: readonly number[]): Promise<void> {
    if (ids.length === 0) return;
    for (const request of await this.mergeRequests.findHeads(ids)) {
      const { authorId } = request;
      await this.todos.raise(issuableOf(request), [authorId], { action: 'build_failed', authorId });
    }
  }
}
