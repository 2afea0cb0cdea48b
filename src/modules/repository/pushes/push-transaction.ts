import { AsyncResource } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import {
  GitError,
  type PushHistory,
  type RefUpdate,
  type Repository,
  StaleRefError,
  ZERO_OID,
} from '../../../git/index.js';
import { ProcessLease } from '../../../platform/cluster/index.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import type { ProjectAccess } from '../../authorization/index.js';
import { ProjectStorage } from '../../storage/index.js';
import type { RefProblem } from '../shared/refusals.js';
import { PostReceive } from './post-receive.js';
import { PushAuthorizer, type Pusher, type PushRules } from './push-authorizer.js';
import type { PushedBranch } from './push.events.js';
import type { PushIntent } from './push-intent.entity.js';
import { type LockedProject, PushesRepository } from './pushes.repository.js';
import { LeaseLostError, PushRecorder } from './recording/push-recorder.js';
import { PushRecovery } from './recording/push-recovery.js';

/** What a push changes, as it is known under the push lock. */
export interface PlannedPush {
  readonly updates: readonly RefUpdate[];
  /** The history that the push brings, if it was read already. */
  readonly history?: PushHistory | null;
  /** Stores the objects, or reserves storage for them, once the updates are allowed. */
  readonly storeObjects: () => Promise<void>;
  /** Commits rows by themselves before a ref moves; they must mean nothing unless the refs move. */
  readonly beforehand?: (() => Promise<void>) | undefined;
  /** Writes more rows once the refs have moved, in the transaction that records the push. */
  readonly alongside?: (() => Promise<void>) | undefined;
  /** Starts the git process that moves the refs, if it does not run yet. */
  readonly begin: () => Promise<RefMover>;
}

/** The git process that moves the refs of a push, such as `RefChange`. */
export interface RefMover {
  readonly processId: number | null;
  /**
   * Has git move the refs, and resolves when git has ended.
   * @param confirm called by a guarded git when it has locked the refs; none moves if it fails
   * @throws GitError when no ref has moved
   */
  commit(updates: readonly RefUpdate[], confirm?: () => Promise<void>): Promise<void>;
  /** Ends git if it has not moved refs. */
  abandon?(): Promise<void>;
}

/** A push, and how it is made. */
export interface Push {
  readonly pusher: Pusher;
  readonly rules: PushRules;
  /**
   * Whether it is that of a git client: its git runs already, may move some of the refs, and prints messages to the user.
   * A push by the API may be planned again, and moves all refs or none.
   */
  readonly isOfClient: boolean;
  /** What a git client says of it (`git push -o`). */
  readonly options?: readonly string[];
  /** Whether git is guarded, if that was decided when it was started. */
  readonly isGuarded?: boolean;
  /** Called once when the push has to wait until an interrupted one is settled. */
  readonly onWait?: () => void;
  /** Writes nothing; may throw. */
  readonly plan: (project: LockedProject) => Promise<PlannedPush>;
}

/** Why no ref of a push may move. */
export type PushRefusal =
  | { readonly reason: 'project-deleted' | 'being-filled' | 'no-access' }
  /** The storage does not show the last push to some refs yet. */
  | { readonly reason: 'not-shown'; readonly refs: readonly string[] }
  | { readonly reason: 'refs-refused'; readonly problems: ReadonlyMap<string, RefProblem> };

/** The state of a push. */
interface Attempt {
  readonly push: Push;
  /** The intent is committed: from now on recovery can finish the push. */
  hasIntent: boolean;
  /** Git has ended and reported a result. */
  hasGitEnded: boolean;
  /** The error that git reported; null when the refs have moved. */
  failure: GitError | null;
  /** The branches that git has created or moved. */
  branches: readonly PushedBranch[];
}

/** Of a process without a lease, as a command of the command line is. */
const NO_OWNER = { processId: null, epoch: null };

/**
 * Makes pushes, of git clients and of the API (docs/decisions/0006-push-intents.md). One transaction holds the project's
 * push lock from the plan to the record of the push, so concurrent pushes build upon each other. Refs, activity and outbox
 * agree whenever no process holds the lock, or there is an intent, from which recovery finishes the push after a crash.
 */
@Injectable()
export class PushTransaction {
  constructor(
    private readonly work: UnitOfWork,
    private readonly lease: ProcessLease,
    private readonly storage: ProjectStorage,
    private readonly recovery: PushRecovery,
    private readonly authorizer: PushAuthorizer,
    private readonly pushes: PushesRepository,
    private readonly recorder: PushRecorder,
    private readonly postReceive: PostReceive,
  ) {}

  /**
   * Whether pushes that begin now are guarded: another machine could take over from this process, but not end its git. So
   * git has to ask when it has locked the refs, and before it moves them.
   */
  get isGuarded(): boolean {
    return this.lease.owner !== null && this.lease.hasPeers;
  }

  /**
   * Makes a push, and runs the post-receive steps. Must not be called within a unit of work.
   * @returns the refusal, or the lines that git prints to the user
   * @throws GitError when git moved nothing
   * @throws DomainError unavailable, or an error of the push
   */
  async makePush(push: Push): Promise<PushRefusal | string[]> {
    const { pusher, isOfClient, options = [], onWait } = push;
    const { userId, access } = pusher;
    const { project } = access;
    const attempt: Attempt = {
      push,
      hasIntent: false,
      hasGitEnded: false,
      failure: null,
      branches: [],
    };
    try {
      const refusal = await this.recovery.holdSettled(
        { projectId: project.id, userId },
        (locked) => this.pushUnderLock(attempt, locked),
        // Git moves the refs within this unit of work, and cannot do so twice.
        { retry: () => !isOfClient && !attempt.hasIntent },
        onWait,
      );
      if (refusal !== null) return refusal;
    } catch (error) {
      if (!attempt.hasIntent) throw error;
      // The transaction was lost, for example by a restart of the database; the intent was not.
      await this.recovery.recover(project.id);
      if (!attempt.hasGitEnded) throw error;
    }
    if (attempt.failure !== null) throw attempt.failure;
    const { branches } = attempt;
    const isOfDeployKey = pusher.isDeployKey === true;
    return this.postReceive.runSteps({
      ...{ project, userId, branches, options, isOfDeployKey },
      printsMessages: isOfClient,
    });
  }

  /** Decides on a push, has git move the refs, and records it, in the unit of work that holds the push lock. */
  private async pushUnderLock(
    attempt: Attempt,
    project: LockedProject | null,
  ): Promise<PushRefusal | null> {
    const { push } = attempt;
    if (project === null) return { reason: 'project-deleted' };
    if (project.repositoryState !== 'ready') return { reason: 'being-filled' };
    const access = await this.authorizer.currentAccess(push.pusher);
    if (access === null) return { reason: 'no-access' };
    const plan = await push.plan(project);
    const repository = this.storage.repository(project);
    const refusal = await this.findRefusal(access, repository, plan.updates, push.rules);
    if (refusal !== null) return refusal;
    await plan.storeObjects();
    const updates = await feasibleUpdates(repository, plan.updates, { orFail: !push.isOfClient });
    if (plan.updates.length > 0) {
      if (plan.beforehand !== undefined) await this.work.detached(plan.beforehand);
      const intent = await this.moveRefs(attempt, plan, updates);
      attempt.branches = await this.recorder.recordPush(intent, project, plan.history);
    }
    if (attempt.failure === null) await plan.alongside?.();
    return null;
  }

  private async findRefusal(
    access: ProjectAccess,
    { refs }: Repository,
    updates: readonly RefUpdate[],
    rules: PushRules,
  ): Promise<PushRefusal | null> {
    const doubtful = await refs.findDoubtful(updates.map(({ ref }) => ref));
    if (doubtful.length > 0) return { reason: 'not-shown', refs: doubtful };
    const problems = await this.authorizer.findRefProblems(access, updates, rules);
    return problems.size > 0 ? { reason: 'refs-refused', problems } : null;
  }

  /** Commits the intent, and has git move the refs. */
  private async moveRefs(
    attempt: Attempt,
    { begin }: PlannedPush,
    updates: RefUpdate[],
  ): Promise<PushIntent> {
    const { pusher, isGuarded = this.isGuarded } = attempt.push;
    const mover = await begin();
    try {
      const process = { pid: mover.processId, isGuarded };
      const intent = await this.recordIntent(pusher, updates, process);
      attempt.hasIntent = true;
      // A client's git asks outside of the unit of work, whose session has to answer.
      const confirm = isGuarded ? AsyncResource.bind(() => this.confirmIntent(intent)) : undefined;
      attempt.failure = await mover.commit(updates, confirm).then(() => null, asGitError);
      // Git fails, too, when others have taken its locks: the lease was lost after it had been confirmed.
      if (attempt.failure !== null) await confirm?.();
      attempt.hasGitEnded = true;
      return intent;
    } finally {
      await mover.abandon?.();
    }
  }

  /**
   * Commits the intent of a push by itself, outside of the unit of work.
   * @throws LeaseLostError
   */
  private async recordIntent(
    { access, userId }: Pusher,
    updates: RefUpdate[],
    process: Pick<PushIntent, 'pid' | 'isGuarded'>,
  ): Promise<PushIntent> {
    const { host, machine } = this.lease.identity;
    const { processId, epoch } = this.lease.owner ?? NO_OWNER;
    const projectId = access.project.id;
    const intent = { projectId, userId, updates, host, machine, processId, epoch, ...process };
    const recorded = await this.work.detached(() => this.pushes.insertIntent(intent));
    if (recorded === null) throw new LeaseLostError();
    return recorded;
  }

  /**
   * Makes sure that this process still has the push lock and its lease, by the session that holds the lock, which others
   * end before they take over.
   * @throws LeaseLostError
   */
  private async confirmIntent({ processId, epoch }: PushIntent): Promise<void> {
    if (processId === null || epoch === null) return;
    // A session that was ended, or is cut off, does not answer.
    const isOver = await Promise.race([
      this.lease.isOver({ processId, epoch }).catch(() => true),
      delay(this.lease.durationMs, true, { ref: false }),
    ]);
    if (isOver) throw new LeaseLostError();
  }
}

/**
 * Selects the updates that change a ref and that git can still make, since the ref has the value that the
 * client saw. Afterwards only for these the value of the ref shows whether git made the update. Requires the
 * push lock.
 * @throws StaleRefError with `orFail`, if there are other updates
 */
async function feasibleUpdates(
  { refs }: Repository,
  updates: readonly RefUpdate[],
  { orFail }: { orFail: boolean },
): Promise<RefUpdate[]> {
  const targets = await refs.getAll(updates.map(({ ref }) => ref));
  return updates.filter(({ ref, oldOid, newOid }, at) => {
    const current = targets[at] ?? ZERO_OID;
    const isFeasible = current === oldOid && current !== newOid;
    if (orFail && !isFeasible) throw new StaleRefError(ref);
    return isFeasible;
  });
}

function asGitError(error: unknown): GitError {
  if (error instanceof GitError) return error;
  throw error;
}
