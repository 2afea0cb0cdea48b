import { Injectable } from '@nestjs/common';
import {
  BRANCH_PREFIX,
  isBranchOrTag,
  type PushHistory,
  type RefUpdate,
  type Repository,
  ZERO_OID,
} from '../../../../git/index.js';
import { DomainError } from '../../../../platform/errors/index.js';
import { DomainEvents } from '../../../../platform/events/index.js';
import { Outbox } from '../../../../platform/queue/index.js';
import { type Activity, ActivityLog } from '../../../activity/index.js';
import { ProjectStorage, RefMovesRepository } from '../../../storage/index.js';
import { TIDY_DELAY_MS, tidyRepository } from '../../housekeeping/tidy-repository.job.js';
import { PushDescriber } from '../payloads/push-describer.js';
import { type CommitsOfBranches, readPushedCommits } from '../payloads/pushed-commits.js';
import type { PushIntent } from '../push-intent.entity.js';
import { type PushedBranch, PushRecorded } from '../push.events.js';
import { type LockedProject, PushesRepository } from '../pushes.repository.js';
import { DefaultBranchInitializer } from './default-branch.js';

/** Others have taken over what this process had, so that it must not move refs. */
export class LeaseLostError extends DomainError {
  constructor() {
    super({ code: 'unavailable', retryAfterSeconds: 5 });
  }
}

/** Records what git has done of a push, when it has ended or after a crash. */
@Injectable()
export class PushRecorder {
  constructor(
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
    const later = { delayMs: TIDY_DELAY_MS };
    await this.outbox.addUnlessWaiting(tidyRepository.with({ projectId, storage }, later));
    const branches = pushedBranches(applied, project.defaultBranch, commits);
    const shown = applied.filter(({ ref }) => isBranchOrTag(ref));
    if (shown.length === 0) return branches;
    const deletedBranches = shown.flatMap(({ ref, newOid }) =>
      newOid === ZERO_OID && ref.startsWith(BRANCH_PREFIX) ? ref.slice(BRANCH_PREFIX.length) : [],
    );
    const refs = this.describer.describe(repository, shown, commits);
    const recorded = new PushRecorded(projectId, intent.userId, branches, deletedBranches, refs);
    await this.events.publish(recorded);
    await this.recordActivity(recorded);
    return branches;
  }

  /** Records the push for the feeds, one event for each ref. Comes last, because it locks the project. */
  private async recordActivity({ projectId, userId: authorId, refs }: PushRecorded): Promise<void> {
    for (const batch of refs.batches) {
      const pushedRefs = await refs.describe(batch);
      await this.log.record(
        pushedRefs.map((pushedRef): Activity => {
          return { projectId, authorId, action: actionOf(pushedRef), pushedRef };
        }),
      );
    }
  }
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
