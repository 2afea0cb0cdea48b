import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import {
  BRANCH_PREFIX,
  isBranchOrTag,
  type PushHistory,
  type RefUpdate,
  type Repository,
  TAG_PREFIX,
  ZERO_OID,
} from '../../../../git/index.js';
import { UnitOfWork } from '../../../../platform/database/index.js';
import { DomainError } from '../../../../platform/errors/index.js';
import { ProcessLease } from '../../../../platform/monitoring/index.js';
import { Outbox } from '../../../../platform/queue/index.js';
import {
  type Activity,
  ActivityLog,
  DomainEvents,
  OnDomainEvent,
} from '../../../activity/index.js';
import { ProjectStorage, RefMovesRepository } from '../../../projects/index.js';
import { TIDY_DELAY_MS, tidyRepository } from '../../housekeeping/tidy-repository.job.js';
import { PushDescriber } from '../payloads/push-describer.js';
import { type CommitsOfBranches, readPushedCommits } from '../payloads/pushed-commits.js';
import type { Pusher } from '../push-authorizer.js';
import type { PushIntent } from '../push-intent.entity.js';
import { type PushedBranch, PushPhase, PushRecorded } from '../push.events.js';
import { type LockedProject, PushesRepository } from '../pushes.repository.js';
import { DefaultBranchInitializer } from './default-branch.js';

/** Of a process without a lease, as a command of the command line is. */
const NO_OWNER = { processId: null, epoch: null };

/** Others have taken over what this process had, so that it must not move refs. */
export class LeaseLostError extends DomainError {
  constructor() {
    super({ code: 'unavailable', retryAfterSeconds: 5 });
  }
}

/** Records pushes: the intent before git moves the refs, and the result afterwards or after a crash. */
@Injectable()
export class PushRecorder {
  constructor(
    private readonly work: UnitOfWork,
    private readonly lease: ProcessLease,
    private readonly pushes: PushesRepository,
    private readonly storage: ProjectStorage,
    private readonly refMoves: RefMovesRepository,
    private readonly defaultBranch: DefaultBranchInitializer,
    private readonly describer: PushDescriber,
    private readonly outbox: Outbox,
    private readonly events: DomainEvents,
    private readonly log: ActivityLog,
  ) {}

  /**
   * Whether pushes that begin now are guarded: another machine could take over from this process, but not end its git. So
   * `confirmIntent` has to be called when git has locked the refs, and before it moves them.
   */
  get guardsPushes(): boolean {
    return this.lease.owner !== null && this.lease.hasPeers;
  }

  /**
   * Commits the intent of a push by itself, outside of the caller's unit of work.
   * @param pid of the git process that will move the refs; null when there is none
   * @throws LeaseLostError
   */
  async recordIntent(
    { access, userId }: Pick<Pusher, 'access' | 'userId'>,
    updates: RefUpdate[],
    { pid, isGuarded }: Pick<PushIntent, 'pid' | 'isGuarded'>,
  ): Promise<PushIntent> {
    const { host, machine } = this.lease.identity;
    const { processId, epoch } = this.lease.owner ?? NO_OWNER;
    const projectId = access.project.id;
    const intent = { projectId, userId, updates, host, pid, machine, processId, epoch, isGuarded };
    const recorded = await this.work.detached(() => this.pushes.insertIntent(intent));
    if (recorded === null) throw new LeaseLostError();
    return recorded;
  }

  /**
   * Makes sure that this process still has the push lock and its lease. Must be called in the unit of work that holds the
   * lock, whose session others end before they take over.
   * @throws LeaseLostError
   */
  async confirmIntent({ processId, epoch }: PushIntent): Promise<void> {
    if (processId === null || epoch === null) return;
    // A session that was ended, or is cut off, does not answer.
    const isOver = await Promise.race([
      this.lease.isOver({ processId, epoch }).catch(() => true),
      delay(this.lease.durationMs, true, { ref: false }),
    ]);
    if (isOver) throw new LeaseLostError();
  }

  /**
   * Records the updates that git has made and deletes the intent, in the caller's unit of work. Requires
   * that the push lock is held and git has ended: no other process can have moved the refs, so a ref that has
   * its new value got it from this push.
   * @param history of the push, if it was read already
   * @returns the branches that the push created or moved
   */
  async recordPush(
    intent: PushIntent,
    project: LockedProject,
    history: PushHistory | null = null,
  ): Promise<PushedBranch[]> {
    const repository = this.storage.repository(project);
    repository.refs.noteOwnMove();
    const applied = await appliedUpdates(repository, intent.updates);
    if (applied.length < intent.updates.length) {
      // A git that others cannot reach, and that will be refused, may hold them.
      await repository.refs.removeStaleLocks(intent.updates.map(({ ref }) => ref));
    }
    const branches =
      applied.length === 0
        ? []
        : await this.recordUpdates(intent, project, repository, applied, history);
    const [isDeleted] = await Promise.all([
      this.pushes.deleteIntent(intent.id),
      this.refMoves.record(project.id, applied),
    ]);
    // Without an intent others have recorded the push.
    if (!isDeleted) throw new LeaseLostError();
    return branches;
  }

  private async recordUpdates(
    intent: PushIntent,
    project: LockedProject,
    repository: Repository,
    applied: readonly RefUpdate[],
    history: PushHistory | null,
  ): Promise<PushedBranch[]> {
    const { id: projectId, storage } = project;
    await this.defaultBranch.initialize(project, repository, applied, history);
    const commits = await readPushedCommits(project, repository, applied, history);
    const deletedTags = deletedNames(applied, TAG_PREFIX);
    if (deletedTags.length > 0) await this.pushes.deleteReleases(projectId, deletedTags);
    const later = { delayMs: TIDY_DELAY_MS };
    await this.outbox.addUnlessWaiting(tidyRepository.with({ projectId, storage }, later));
    const branches = pushedBranches(applied, project.defaultBranch, commits);
    const shown = applied.filter(({ ref }) => isBranchOrTag(ref));
    if (shown.length === 0) return branches;
    const deletedBranches = deletedNames(shown, BRANCH_PREFIX);
    const refs = await this.describer.describe(intent, repository, shown, commits);
    const { userId } = intent;
    await this.events.publish(new PushRecorded(projectId, userId, branches, deletedBranches, refs));
    return branches;
  }

  /** Records the push for the feeds, one event for each ref. */
  @OnDomainEvent(PushRecorded, { order: PushPhase.RECORD_ACTIVITY })
  async recordActivity({ projectId, userId: authorId, refs }: PushRecorded): Promise<void> {
    for (const batch of refs.batches) {
      const payloads = await refs.describe(batch);
      await this.log.record(
        batch.map((update, at): Activity => {
          const data = payloads[at] ?? {};
          return { projectId, authorId, action: actionOf(update), data };
        }),
      );
    }
  }
}

/**
 * Selects the updates that change a ref and that git can still make, since the ref has the value that the
 * client saw. Afterwards only for these the value of the ref shows whether git made the update. Requires the
 * push lock.
 */
export async function feasibleUpdates(
  { refs }: Repository,
  updates: readonly RefUpdate[],
): Promise<RefUpdate[]> {
  const targets = await refs.getAll(updates.map(({ ref }) => ref));
  return updates.filter(({ oldOid, newOid }, at) => {
    const current = targets[at] ?? ZERO_OID;
    return current === oldOid && current !== newOid;
  });
}

async function appliedUpdates(
  { refs }: Repository,
  updates: readonly RefUpdate[],
): Promise<RefUpdate[]> {
  const targets = await refs.getAll(updates.map(({ ref }) => ref));
  return updates.filter(({ newOid }, at) => (targets[at] ?? ZERO_OID) === newOid);
}

function pushedBranches(
  updates: readonly RefUpdate[],
  defaultBranch: string | null,
  commits: CommitsOfBranches,
): PushedBranch[] {
  return updates.flatMap(({ ref, oldOid, newOid }) => {
    if (!ref.startsWith(BRANCH_PREFIX) || newOid === ZERO_OID) return [];
    const name = ref.slice(BRANCH_PREFIX.length);
    const before = oldOid === ZERO_OID ? null : oldOid;
    const newest = commits.get(ref)?.newest ?? [];
    return { name, before, after: newOid, isDefault: name === defaultBranch, newest };
  });
}

function actionOf({ oldOid, newOid }: RefUpdate): Activity['action'] {
  if (newOid === ZERO_OID) return 'deleted';
  return oldOid === ZERO_OID ? 'pushed new' : 'pushed to';
}

function deletedNames(updates: readonly RefUpdate[], prefix: string): string[] {
  return updates
    .filter(({ ref, newOid }) => newOid === ZERO_OID && ref.startsWith(prefix))
    .map(({ ref }) => ref.slice(prefix.length));
}
