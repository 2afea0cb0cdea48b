import { Injectable, Logger } from '@nestjs/common';
import type { Commit, MoveEffects, Oid, Repository } from '../../../git/index.js';
import { DomainEvents, OnDomainEvent } from '../../../platform/events/index.js';
import { defineJob, HandlesJob, type JobHandler, Outbox } from '../../../platform/queue/index.js';
import { NotesRepository, TodosService } from '../../issuables/index.js';
import {
  type PushedBranch,
  PushPhase,
  PushRecorded,
  shortId,
  storable,
  titleOf,
} from '../../repository/index.js';
import { isStorageLimit, PushLock } from '../../storage/index.js';
import { MergesService } from '../merges/merges.service.js';
import { MergeRequestChanged } from '../model/merge-request.events.js';
import {
  type LocatedMergeRequest,
  MergeRequestsRepository,
} from '../model/merge-requests.repository.js';
import { checkSoon } from '../versions/check-mergeability.job.js';
import { isGitFailure, MergeRequestBranches } from '../versions/merge-request-branches.js';
import type { RecordedVersion } from '../versions/versions.repository.js';
import { VersionsService } from '../versions/versions.service.js';

/** A branch of a push, without the commits that it brought. */
type MovedBranch = Omit<PushedBranch, 'newest'>;

/**
 * The effect of a moved target branch on a merge request: its commits have arrived, its versions begin elsewhere,
 * or null: only its merge status is unknown.
 */
type TargetEffect = 'merged' | 'changed' | null;

export interface FollowPayload {
  projectId: number;
  /** The user who pushed. */
  userId: number;
  branches: readonly MovedBranch[];
}

/** Updates the merge requests of some branches of a push that has moved very many. */
const followBranches = defineJob<FollowPayload>('merge-requests', 'follow-branches', {
  timeLimitMs: 30 * 60_000,
});

export interface RecordPayload {
  mergeRequestId: number;
  /** The push with those of its branches that the request comes from or targets. */
  push: FollowPayload;
  /** The effect of the push in case the head of the request stays the same. */
  effect: TargetEffect;
}

/** Updates a merge request after a push that git could not be asked about when it was recorded. */
const recordVersion = defineJob<RecordPayload>('merge-requests', 'record-version', {
  attempts: 10,
  fair: true,
});

/** The most commits of a push that the system note lists. */
const NOTED_COMMITS = 100;

const MAX_TITLE = 500;

/** The branches of one merge request that a push has moved. */
interface Moves {
  source: MovedBranch | undefined;
  target: MovedBranch | undefined;
}

/** A push to the source branch of a merge request. */
interface SourcePush {
  /** The request before the push. */
  request: LocatedMergeRequest;
  /** The version recorded since; the target project has its commits. */
  version: RecordedVersion;
  target: Repository;
  /** Whether the branch did not exist before. */
  isRestored: boolean;
  userId: number;
}

/**
 * Updates the open merge requests whose branches a push has moved or deleted, with their system notes, todos and
 * events, in the unit of work that records it (docs/reference/merge-requests.md#pushes-and-branches).
 */
@Injectable()
@HandlesJob(followBranches)
export class PushFollower implements JobHandler<FollowPayload> {
  /**
   * The most branches of a push whose merge requests are updated with it; with more, jobs do it
   * (docs/reference/git.md#what-follows-a-push).
   */
  readonly branchesAtOnce: number = 1_000;
  /**
   * The most merge requests that are updated with a push; jobs update the others (docs/reference/git.md#what-follows-a-push).
   * A fork can have any number of merge requests into one branch, and each push to that branch would wait for all of them.
   */
  readonly requestsAtOnce: number = 50;
  private readonly logger = new Logger(PushFollower.name);

  constructor(
    private readonly mergeRequests: MergeRequestsRepository,
    private readonly branches: MergeRequestBranches,
    private readonly versions: VersionsService,
    private readonly merges: MergesService,
    private readonly notes: NotesRepository,
    private readonly todos: TodosService,
    private readonly events: DomainEvents,
    private readonly pushLock: PushLock,
    private readonly outbox: Outbox,
  ) {}

  @OnDomainEvent(PushRecorded, { order: PushPhase.FOLLOW_BRANCHES })
  async followPush(push: PushRecorded): Promise<void> {
    const { projectId, userId } = push;
    if (push.deletedBranches.length > 0) await this.followDeletedBranches(push);
    const branches = push.branches.map(({ newest: _, ...branch }): MovedBranch => branch);
    if (branches.length <= this.branchesAtOnce) {
      if (branches.length > 0) await this.followMovedBranches({ projectId, userId, branches });
      return;
    }
    for (let from = 0; from < branches.length; from += this.branchesAtOnce) {
      const some = branches.slice(from, from + this.branchesAtOnce);
      await this.outbox.add(followBranches.with({ projectId, userId, branches: some }));
    }
  }

  /** Runs the job `followBranches`, under the push lock, in the unit of work that confirms it: its effects happen once. */
  async handle(push: FollowPayload): Promise<void> {
    const claim = { projectIds: [push.projectId], userId: push.userId };
    await this.pushLock.hold(claim, async () => {
      const isFirst = await this.outbox.takeOver(followBranches.with(push));
      if (isFirst) await this.followMovedBranches(push);
    });
  }

  /**
   * Locks an open request and updates it after a push. Call in a unit of work that holds the push locks of its
   * projects.
   * @throws GitError
   * @throws DomainError storage limit
   */
  async lockAndFollow(id: number, push: FollowPayload, effect: TargetEffect): Promise<void> {
    const [request] = await this.mergeRequests.lockOpen([id]);
    if (request !== undefined) await this.follow(request, push, effect);
  }

  /** Call in a unit of work that holds the push lock. Can be repeated. */
  private async followMovedBranches(push: FollowPayload): Promise<void> {
    const { projectId, branches } = push;
    const names = branches.map(({ name }) => name);
    const fromSources = await this.mergeRequests.findIdsFrom(projectId, names);
    const affectsAny = await this.mergeRequests.lockAffected(projectId, names, fromSources);
    if (!affectsAny) return;
    const effects = await this.findTargetEffects(push);
    const affected = [...new Set([...fromSources, ...effects.keys()])];
    for (const [index, request] of (await this.mergeRequests.lockOpen(affected)).entries()) {
      const effect = effects.get(request.id) ?? null;
      if (index < this.requestsAtOnce) await this.followOrPostpone(request, push, effect);
      else await this.postpone(request, push, effect);
    }
    // Last, so that a request that the push has merged keeps its merge status.
    await this.resetStatus(projectId, names, fromSources);
  }

  /** Keeps the versions of the requests, which cannot be merged until their branches exist again. */
  private async followDeletedBranches(push: PushRecorded): Promise<void> {
    const { projectId, userId, deletedBranches: names, branches } = push;
    // Locks the requests of moved branches as well: all in one order before any of them is changed.
    await this.mergeRequests.lockOfBranches(projectId, [
      ...names,
      ...branches.map(({ name }) => name),
    ]);
    const ids = await this.mergeRequests.findIdsFrom(projectId, names);
    for (const request of await this.mergeRequests.lockOpen(ids)) {
      await this.recordDeletion(request, userId);
    }
    await this.resetStatus(projectId, names, ids);
  }

  private async resetStatus(
    projectId: number,
    branches: readonly string[],
    ids: readonly number[],
  ): Promise<void> {
    const targetProjects = await this.mergeRequests.resetStatus(projectId, branches, ids);
    for (const id of targetProjects) await this.outbox.addUnlessWaiting(checkSoon(id));
  }

  /** Returns the effects on requests that target the branches, by request ID, without those that are null. */
  private async findTargetEffects({
    projectId,
    branches,
  }: FollowPayload): Promise<ReadonlyMap<number, TargetEffect>> {
    const effects = new Map<number, TargetEffect>();
    try {
      const names = branches.map(({ name }) => name);
      const requests = await this.mergeRequests.findTargeting(projectId, names);
      const target = requests.length === 0 ? null : await this.branches.findRepository(projectId);
      if (target === null) return effects;
      for (const branch of branches) {
        const targeting = requests.filter(({ targetBranch }) => targetBranch === branch.name);
        if (targeting.length === 0) continue;
        const heads = [...new Set(targeting.map(({ headSha }) => headSha))];
        const move = await target.effectsOf(branch, heads);
        for (const request of targeting) {
          const effect = targetEffect(request, move);
          if (effect !== null) effects.set(request.id, effect);
        }
      }
      return effects;
    } catch (error) {
      this.assertTolerable(error, `Cannot find what a push to project ${String(projectId)} merged`);
      return new Map();
    }
  }

  private async followOrPostpone(
    request: LocatedMergeRequest,
    push: FollowPayload,
    effect: TargetEffect,
  ): Promise<void> {
    try {
      await this.follow(request, push, effect);
    } catch (error) {
      this.assertTolerable(error, `Merge request ${String(request.id)} is updated later by a job`);
      await this.postpone(request, push, effect);
    }
  }

  /**
   * Updates one request: records a version, and what the push did to the source branch, or the merge.
   * @param effect the effect on the target branch, in case the head of the request stays the same
   */
  private async follow(
    request: LocatedMergeRequest,
    push: FollowPayload,
    effect: TargetEffect,
  ): Promise<void> {
    const moves = movesOf(request, push);
    const repository = await this.branches.findRepository(request.projectId);
    if (repository === null) return;
    // When one push moves both branches, the source counts as moved first.
    const current =
      moves.source === undefined
        ? { headSha: request.headSha, effect: await this.knownEffect(request, moves, effect) }
        : await this.followSource(request, push.userId, moves, repository);
    if (current.effect === 'merged') {
      const { headSha } = current;
      await this.merges.record({ ...request, headSha }, { result: null, userId: push.userId });
    } else if (current.effect === 'changed') {
      await this.versions.record(request);
    }
  }

  /** While the target branch did not exist, the source may have got a head that the request does not have yet. */
  private async knownEffect(
    request: LocatedMergeRequest,
    { target }: Moves,
    effect: TargetEffect,
  ): Promise<TargetEffect> {
    if (target === undefined || target.before !== null) return effect;
    const { head = null } = (await this.branches.findHeads(request)) ?? {};
    return head === null || head === request.headSha ? effect : 'changed';
  }

  private async followSource(
    request: LocatedMergeRequest,
    userId: number,
    { source, target: targetMove }: Moves,
    target: Repository,
  ): Promise<{ headSha: string | null; effect: TargetEffect }> {
    const version = await this.versions.record(request, targetMove?.before ?? undefined);
    if (version === null) {
      // Without a target branch there is no version, but what was accepted is not what was pushed.
      await this.mergeRequests.disableAutomaticMerge(request.id);
      await this.finishTodosAndTouch(request.id, userId);
      return { headSha: request.headSha, effect: null };
    }
    const isRestored = source?.before === null;
    await this.recordSourcePush({ request, version, target, isRestored, userId });
    const { head: headSha, isEmpty } = version;
    const effect =
      targetMove === undefined
        ? null
        : targetEffect({ headSha, isEmpty }, await target.effectsOf(targetMove, [headSha]));
    return { headSha, effect };
  }

  /** Records what a push to the source branch did. The row of the request is locked. */
  private async recordSourcePush(push: SourcePush): Promise<void> {
    const { request, version, isRestored, userId } = push;
    const { id, headSha, projectId } = request;
    if (isRestored) await this.writeNote(request, userId, restoredText(request));
    if (headSha !== version.head) {
      await this.mergeRequests.disableAutomaticMerge(id);
      await this.noteCommits(push);
    }
    await this.finishTodosAndTouch(id, userId);
    const update = headSha === null || isRestored ? {} : { oldHead: headSha };
    await this.events.publish(new MergeRequestChanged(projectId, id, userId, 'update', update));
  }

  private async recordDeletion(request: LocatedMergeRequest, userId: number): Promise<void> {
    await this.writeNote(request, userId, deletedText(request));
    await this.finishTodosAndTouch(request.id, userId);
  }

  /** Lists the new commits: those that the previous head lacked, also of a branch that was rewritten. */
  private async noteCommits({ request, version, target, userId }: SourcePush): Promise<void> {
    const { newest, total } = await target.pushedCommits({
      tip: version.head,
      base: request.headSha,
      besides: version.start,
      limit: NOTED_COMMITS,
    });
    if (total === 0) return;
    const commits = await target.objects.commits(newest);
    const readable = commits.filter((commit) => commit !== null);
    await this.writeNote(request, userId, pushedText(readable, total));
  }

  private async finishTodosAndTouch(id: number, userId: number): Promise<void> {
    await this.todos.finish({ type: 'MergeRequest', id }, userId);
    await this.mergeRequests.touch(id);
  }

  private async writeNote(
    { id, projectId }: LocatedMergeRequest,
    userId: number,
    text: string,
  ): Promise<void> {
    await this.notes.insertSystemNote({ type: 'MergeRequest', id, projectId }, userId, text);
  }

  /** Leaves a request to a job. When its source has moved, it no longer waits for the build of its old head. */
  private async postpone(
    { id: mergeRequestId, sourceProjectId, sourceBranch, targetBranch }: LocatedMergeRequest,
    { branches, ...push }: FollowPayload,
    effect: TargetEffect,
  ): Promise<void> {
    const some = branches.filter(({ name }) => name === sourceBranch || name === targetBranch);
    const hasMoved =
      sourceProjectId === push.projectId && some.some(({ name }) => name === sourceBranch);
    if (hasMoved) await this.mergeRequests.disableAutomaticMerge(mergeRequestId);
    const payload = { mergeRequestId, push: { ...push, branches: some }, effect };
    const fairnessKey = `project ${String(push.projectId)}`;
    await this.outbox.add(recordVersion.with(payload, { fairnessKey }));
  }

  /**
   * Logs a failure of git, or a full storage quota of the target project: a push that has happened is recorded
   * all the same. Throws any other error.
   */
  private assertTolerable(error: unknown, text: string): void {
    if (!isGitFailure(error) && !isStorageLimit(error)) throw error;
    this.logger.warn(text, error);
  }
}

/** Updates one merge request, under the push locks of its projects. */
@Injectable()
@HandlesJob(recordVersion)
export class RecordVersionJob implements JobHandler<RecordPayload> {
  constructor(
    private readonly mergeRequests: MergeRequestsRepository,
    private readonly pushLock: PushLock,
    private readonly follower: PushFollower,
  ) {}

  async handle({ mergeRequestId, push, effect }: RecordPayload): Promise<void> {
    const [found] = await this.mergeRequests.findByIds([mergeRequestId]);
    if (found === undefined) return;
    const projectIds = [found.projectId, found.sourceProjectId ?? found.projectId];
    await this.pushLock.hold({ projectIds, userId: push.userId }, () =>
      this.follower.lockAndFollow(mergeRequestId, push, effect),
    );
  }
}

function movesOf(request: LocatedMergeRequest, { projectId, branches }: FollowPayload): Moves {
  const find = (id: number | null, name: string): MovedBranch | undefined =>
    id === projectId ? branches.find((branch) => branch.name === name) : undefined;
  return {
    source: find(request.sourceProjectId, request.sourceBranch),
    target: find(request.projectId, request.targetBranch),
  };
}

/** A request without commits cannot be merged by a push. */
function targetEffect(
  { headSha, isEmpty }: { headSha: Oid; isEmpty: boolean },
  { isForced, arrived, begun }: MoveEffects,
): TargetEffect {
  if (!isEmpty && arrived.has(headSha)) return 'merged';
  return isForced || begun.has(headSha) ? 'changed' : null;
}

// The texts of docs/reference/notes.md#system-notes.

const restoredText = ({ sourceBranch }: LocatedMergeRequest): string =>
  `restored source branch \`${sourceBranch}\``;

const deletedText = ({ sourceBranch }: LocatedMergeRequest): string =>
  `deleted source branch \`${sourceBranch}\``;

/** Lists commits, oldest first. @param newest the commits, newest first */
function pushedText(newest: readonly Commit[], total: number): string {
  const lines = newest.map(
    ({ oid, message }) => `* ${shortId(oid)} - ${storable(titleOf(message), MAX_TITLE)}`,
  );
  return [`added ${String(total)} ${total === 1 ? 'commit' : 'commits'}`, ...lines.reverse()].join(
    '\n',
  );
}
