import { AsyncResource } from 'node:async_hooks';
import type { Readable, Writable } from 'node:stream';
import { Injectable, Logger } from '@nestjs/common';
import {
  BRANCH_PREFIX,
  type GateDecision,
  GitError,
  type PushedRange,
  type PushHistory,
  type QuarantineView,
  type RefUpdate,
  type Repository,
  RepositoryMissingError,
  ZERO_OID,
} from '../../../git/index.js';
import { Deferred, runAs } from '../../../platform/async/index.js';
import { Config } from '../../../platform/config/index.js';
import type { ProjectRef } from '../../access/index.js';
import {
  isStorageLimit,
  ProjectStorage,
  pushLimitsOf,
  type Reservation,
  StorageQuota,
} from '../../projects/index.js';
import { findUnavailability } from '../shared/find-unavailability.js';
import { branchRanges } from './payloads/pushed-commits.js';
import { PostReceive } from './post-receive.js';
import { PushAuthorizer, type Pusher } from './push-authorizer.js';
import { PushLock } from './push-lock.js';
import type { PushedBranch } from './push.events.js';
import { REFUSAL } from './push.policy.js';
import { type LockedProject, PushesRepository } from './pushes.repository.js';
import { conventionalBranch } from './recording/default-branch.js';
import { feasibleUpdates, PushRecorder } from './recording/push-recorder.js';
import { PushRecovery, UnsettledPushError } from './recording/push-recovery.js';

const BEING_FILLED = 'The repository is still being filled. Try again later.';
const UNSETTLED =
  'A push to this project was interrupted when a machine of the server failed, and is still being settled. Try again in a minute.';
const UNCHECKED = 'The push could not be checked; nothing was changed.';
const UNAVAILABLE =
  'The service is unavailable at the moment; nothing was changed. Try again in a few seconds.';
const WAITING = 'Waiting for another push to this project...';
const WAITING_FOR_RECOVERY =
  'Waiting until an interrupted push to this project is settled: a machine of the server has failed...';
/** How long a push waits for others before git prints why. */
const SILENT_WAIT_MS = 3_000;
const NOT_SHOWN = 'The storage does not show the last push yet. Try again later.';
const PROJECT_DELETED = 'The project you were looking for could not be found.';

/** The two ends of a git client's connection. */
export interface GitStreams {
  input: Readable;
  output: Writable;
  /** Aborted when the client disconnects. */
  signal: AbortSignal;
  /** True for HTTP, where one exchange is one request. */
  stateless: boolean;
  /** The value of `GIT_PROTOCOL` that the client asked for. */
  protocol?: string | undefined;
}

/** A push between its arrival in quarantine and its record. */
interface PushUnderWay {
  readonly pusher: Pusher;
  /** Whether git asks again when it has locked the refs. */
  readonly isGuarded: boolean;
  /** Resolved when git has ended. */
  readonly gitEnded: Deferred<undefined>;
  /** Fails when this process must not move refs any more; absent before the push is accepted. */
  confirm?: () => Promise<void>;
  /** The unit of work that holds the push lock from the decision to the record; absent before. */
  recorded?: Promise<void>;
  /** The storage reserved for the objects of the push. */
  reservation: Reservation;
  /** The branches that git has created or moved; complete once the push is recorded. */
  branches: readonly PushedBranch[];
}

/** What git reports of a push in quarantine, with what was read before the push lock was acquired. */
interface QuarantinedPush {
  updates: readonly RefUpdate[];
  quarantine: QuarantineView;
  /** Shows the pusher a line. */
  print: (line: string) => void;
  history: PushHistory | null;
  /** The size of the pushed objects on disk; 0 when storage is not limited. */
  bytes: number;
}

/**
 * Receives pushes of git clients, over HTTP and SSH (docs/decisions/0006-push-intents.md). Git unpacks the
 * objects into a quarantine, asks this class for a decision, and moves the refs. One transaction holds the
 * project's push lock from the decision to the record of the push. So refs, activity and outbox agree whenever
 * no process holds the lock, or there is an intent, from which recovery finishes the push after a crash.
 */
@Injectable()
export class ReceivePush {
  private readonly logger = new Logger(ReceivePush.name);

  constructor(
    private readonly config: Config,
    private readonly storage: ProjectStorage,
    private readonly lock: PushLock,
    private readonly pushes: PushesRepository,
    private readonly authorizer: PushAuthorizer,
    private readonly recovery: PushRecovery,
    private readonly recorder: PushRecorder,
    private readonly quota: StorageQuota,
    private readonly postReceive: PostReceive,
  ) {}

  /**
   * Resolves when the client has its report. Refusals are part of the report, not errors.
   * @returns the exit code of git
   */
  receive(pusher: Pusher, streams: GitStreams): Promise<number> {
    return runAs('push', () => this.runReceivePack(pusher, streams));
  }

  private async runReceivePack(pusher: Pusher, streams: GitStreams): Promise<number> {
    const push: PushUnderWay = {
      pusher,
      isGuarded: this.recorder.guardsPushes,
      gitEnded: new Deferred<undefined>(),
      reservation: null,
      branches: [],
    };
    const { exitCode } = await this.storage.repository(pusher.access.project).receivePack({
      ...streams,
      ...pushLimitsOf(this.config),
      gate: (updates, quarantine, print) =>
        this.judgeInQuarantine(push, { updates, quarantine, print }),
      confirm: push.isGuarded ? () => confirmPush(push) : undefined,
      settle: async ({ exitCode: code }) => {
        await this.completeRecord(push, code === 0);
        return { messages: await this.runPostReceive(push) };
      },
    });
    return exitCode ?? 1;
  }

  /** Answers git's pre-receive hook. After an acceptance, the push lock is held until `completeRecord`. */
  private async judgeInQuarantine(
    push: PushUnderWay,
    { updates, quarantine, print }: Pick<QuarantinedPush, 'updates' | 'quarantine' | 'print'>,
  ): Promise<GateDecision> {
    const { project } = push.pusher.access;
    const decision = new Deferred<GateDecision>();
    // Both may take long, so they come before the lock.
    const history = await this.readHistory(push, updates, quarantine);
    const bytes = this.quota.isLimited ? await quarantine.size() : 0;
    const arrived = { updates, quarantine, print, history, bytes };
    const explanation = setTimeout(() => print(WAITING), SILENT_WAIT_MS);
    push.recorded = this.recovery.whenSettled(
      () =>
        this.lock.hold(
          [project.id],
          () => this.decideAndRecord(push, arrived, decision.resolve),
          // Git moves the refs within this unit of work, and cannot do so twice.
          { retry: false },
        ),
      () => print(WAITING_FOR_RECOVERY),
    );
    push.recorded.catch((error: unknown) => decision.resolve(this.refuse(updates, error)));
    try {
      return await decision.promise;
    } finally {
      clearTimeout(explanation);
    }
  }

  /** Refuses a push that could not be decided on. Without effect after a decision. */
  private refuse(updates: readonly RefUpdate[], error: unknown): GateDecision {
    if (error instanceof UnsettledPushError) return refuseAll(updates, UNSETTLED);
    if (error instanceof RepositoryMissingError) return refuseAll(updates, PROJECT_DELETED);
    this.logger.error('A push could not be checked or recorded', error);
    return refuseAll(updates, findUnavailability(error) === undefined ? UNCHECKED : UNAVAILABLE);
  }

  private async readHistory(
    { pusher }: PushUnderWay,
    updates: readonly RefUpdate[],
    quarantine: QuarantineView,
  ): Promise<PushHistory | null> {
    const { project } = pusher.access;
    const repository = this.storage.repository(project);
    const history = await readHistoryAhead(project, repository, updates, quarantine);
    if (history === null) this.authorizer.prefetchAncestry(project, updates, quarantine);
    return history;
  }

  /** Decides on the push, and if it is accepted waits for git and records it. Requires the push lock. */
  private async decideAndRecord(
    push: PushUnderWay,
    arrived: QuarantinedPush,
    answer: (decision: GateDecision) => void,
  ): Promise<void> {
    const { updates, quarantine, history } = arrived;
    const project = await this.pushes.findProject(push.pusher.access.project.id);
    if (project === null) {
      answer(refuseAll(updates, PROJECT_DELETED));
      return;
    }
    const refusal = await this.findRefusal(push, project, arrived);
    if (refusal !== null) {
      answer(refusal);
      return;
    }
    const feasible = await feasibleUpdates(this.storage.repository(project), updates);
    const { isGuarded } = push;
    const process = { pid: quarantine.processId, isGuarded };
    const intent = await this.recorder.recordIntent(push.pusher, feasible, process);
    // Git asks outside of the unit of work, whose session has to answer.
    push.confirm = AsyncResource.bind(() => this.recorder.confirmIntent(intent));
    answer({ accept: true });
    await push.gitEnded.promise;
    push.branches = await this.recorder.recordPush(intent, project, history);
  }

  private async findRefusal(
    push: PushUnderWay,
    project: LockedProject,
    { updates, quarantine, bytes }: QuarantinedPush,
  ): Promise<GateDecision | null> {
    if (project.repositoryState !== 'ready') return refuseAll(updates, BEING_FILLED);
    await this.recovery.settleLeftovers(project);
    const access = await this.authorizer.currentAccess(push.pusher);
    if (access === null) return refuseAll(updates, REFUSAL.push);
    const late = await this.findLateRefs(project, updates);
    if (late.size > 0) return { accept: false, reasons: late };
    const reasons = await this.authorizer.findRefusals(access, updates, quarantine);
    if (reasons.size > 0) return { accept: false, reasons };
    try {
      push.reservation = await this.quota.reserve(project, 'repository', bytes);
      return null;
    } catch (error) {
      if (!isStorageLimit(error)) throw error;
      return refuseAll(updates, error.detail.text);
    }
  }

  /** Finds the refs of which the file system does not show what was recorded. */
  private async findLateRefs(
    project: LockedProject,
    updates: readonly RefUpdate[],
  ): Promise<Map<string, string>> {
    const { refs } = this.storage.repository(project);
    const doubtful = await refs.findDoubtful(updates.map(({ ref }) => ref));
    return new Map(doubtful.map((ref) => [ref, NOT_SHOWN]));
  }

  /**
   * Resolves once the push is recorded and committed. Call when git has ended.
   * @param isComplete whether git ended by itself; it has kept the objects then, whether or not the refs moved
   */
  private async completeRecord(push: PushUnderWay, isComplete: boolean): Promise<void> {
    push.gitEnded.resolve(undefined);
    try {
      await push.recorded;
    } catch {
      // The transaction was lost, for example by a restart of the database; the intent was not.
      await this.recovery.recover(push.pusher.access.project.id);
    } finally {
      const { reservation } = push;
      await (isComplete ? this.quota.complete(reservation) : this.quota.abandon(reservation));
    }
  }

  /** Runs the post-receive steps, and returns the lines that git prints. */
  private runPostReceive({ pusher, branches }: PushUnderWay): Promise<string[]> {
    const { access, userId } = pusher;
    const { project } = access;
    return this.postReceive.runSteps({ project, userId, branches, printsMessages: true });
  }
}

/** @throws Error when the push was not accepted, or this process must not move refs any more */
async function confirmPush({ confirm }: PushUnderWay): Promise<void> {
  if (confirm === undefined) throw new Error('The push was not accepted');
  await confirm();
}

function refuseAll(updates: readonly RefUpdate[], reason: string): GateDecision {
  return { accept: false, reasons: new Map(updates.map(({ ref }) => [ref, reason])) };
}

/**
 * Reads the history that a large push brings, before the push lock is acquired, since it may take long. Null
 * when the push is small, or git cannot read the history: it is read later then. If the default branch moves
 * meanwhile, the commits of new branches are compared with it again.
 */
async function readHistoryAhead(
  project: ProjectRef,
  repository: Repository,
  updates: readonly RefUpdate[],
  quarantine: QuarantineView,
): Promise<PushHistory | null> {
  try {
    const ranges = await expectedRanges(project, repository, updates);
    return ranges.length === 0 ? null : await quarantine.readHistory(ranges);
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    return null;
  }
}

/** Returns the ranges of commits that the push brings, unless the default branch moves before it is accepted. */
async function expectedRanges(
  { defaultBranch }: ProjectRef,
  repository: Repository,
  updates: readonly RefUpdate[],
): Promise<PushedRange[]> {
  const wanted = defaultBranch ?? (await repository.refs.head());
  const trunk = defaultBranch ?? conventionalBranch(wanted, updates);
  if (trunk === null) return branchRanges(updates, null, null);
  const move = updates.find(({ ref }) => ref === `${BRANCH_PREFIX}${trunk}`);
  const target = move?.newOid ?? (await repository.refs.get(`${BRANCH_PREFIX}${trunk}`));
  return branchRanges(updates, trunk, target === ZERO_OID ? null : target);
}
