import { hostname } from 'node:os';
import { Injectable } from '@nestjs/common';
import {
  BRANCH_PREFIX,
  type PushHistory,
  type RefUpdate,
  type Repository,
  TAG_PREFIX,
  ZERO_OID,
} from '../../../../git/index.js';
import { UnitOfWork } from '../../../../platform/database/index.js';
import { Outbox } from '../../../../platform/queue/index.js';
import {
  type Activity,
  ActivityLog,
  DomainEvents,
  OnDomainEvent,
} from '../../../activity/index.js';
import { ProjectStorage } from '../../../projects/index.js';
import { TIDY_DELAY_MS, tidyRepository } from '../../housekeeping/tidy-repository.job.js';
import { PushDescriber } from '../payloads/push-describer.js';
import { type CommitsOfBranches, readPushedCommits } from '../payloads/pushed-commits.js';
import type { Pusher } from '../push-authorizer.js';
import type { PushIntent } from '../push-intent.entity.js';
import { type PushedBranch, PushPhase, PushRecorded } from '../push.events.js';
import { type LockedProject, PushesRepository } from '../pushes.repository.js';
import { DefaultBranchInitializer } from './default-branch.js';

/** The name of this machine in intents. */
export const THIS_HOST = hostname();

/** Records pushes: the intent before git moves the refs, and the result afterwards or after a crash. */
@Injectable()
export class PushRecorder {
  constructor(
    private readonly work: UnitOfWork,
    private readonly pushes: PushesRepository,
    private readonly storage: ProjectStorage,
    private readonly defaultBranch: DefaultBranchInitializer,
    private readonly describer: PushDescriber,
    private readonly outbox: Outbox,
    private readonly events: DomainEvents,
    private readonly log: ActivityLog,
  ) {}

  /**
   * Commits the intent of a push by itself, outside of the caller's unit of work.
   * @param pid of the git process that will move the refs; null when there is none
   */
  recordIntent(
    { access, userId }: Pick<Pusher, 'access' | 'userId'>,
    updates: RefUpdate[],
    pid: number | null,
  ): Promise<PushIntent> {
    const intent = { projectId: access.project.id, userId, updates, host: THIS_HOST, pid };
    return this.work.detached(() => this.pushes.insertIntent(intent));
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
    const applied = await appliedUpdates(repository, intent.updates);
    const branches =
      applied.length === 0
        ? []
        : await this.recordUpdates(intent, project, repository, applied, history);
    await this.pushes.deleteIntent(intent.id);
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
    const delay = { delayMs: TIDY_DELAY_MS };
    await this.outbox.addUnlessWaiting(tidyRepository.with({ projectId, storage }, delay));
    const branches = pushedBranches(applied, project.defaultBranch, commits);
    const deletedBranches = deletedNames(applied, BRANCH_PREFIX);
    const refs = await this.describer.describe(intent, repository, applied, commits);
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
