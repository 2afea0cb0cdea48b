import { Injectable } from '@nestjs/common';
import {
  BRANCH_PREFIX,
  type PushHistory,
  type RefUpdate,
  type Repository,
  TAG_PREFIX,
  ZERO_OID,
} from '../../../git/index.js';
import { Outbox } from '../../../platform/queue/index.js';
import { DomainEvents } from '../../activity/index.js';
import { ProjectStorage } from '../../projects/index.js';
import { TIDY_DELAY_MS, tidyRepository } from '../repository.jobs.js';
import { type Brought, BroughtCommits } from './brought-commits.js';
import { DefaultBranch } from './default-branch.js';
import type { PushIntent } from './push-intent.entity.js';
import { type LockedProject, PushIntentsRepository } from './push-intents.repository.js';
import { PushDescriber } from './push-payloads.js';
import { type PushedBranch, PushRecorded } from './push.events.js';

/** Records what a push has done: the only place where one is completed, at once or after a crash. */
@Injectable()
export class PushRecorder {
  constructor(
    private readonly intents: PushIntentsRepository,
    private readonly storage: ProjectStorage,
    private readonly defaultBranch: DefaultBranch,
    private readonly brought: BroughtCommits,
    private readonly describer: PushDescriber,
    private readonly outbox: Outbox,
    private readonly events: DomainEvents,
  ) {}

  /**
   * Records the updates that git really made and removes the intent, in the caller's unit of work.
   * Call with the push lock held and with git gone: nobody else has moved the refs since, so a ref
   * that has its new value got it from this push.
   * @param history of the push, where it was read before
   * @returns the branches that it has made or moved
   */
  async record(
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
    await this.intents.delete(intent.id);
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
    await this.defaultBranch.settle(project, repository, applied, history);
    const brought = await this.brought.of(project, repository, applied, history);
    const deletedTags = deletedNames(applied, TAG_PREFIX);
    if (deletedTags.length > 0) await this.intents.deleteReleases(projectId, deletedTags);
    const delay = { delayMs: TIDY_DELAY_MS };
    await this.outbox.addUnlessWaiting(tidyRepository.with({ projectId, storage }, delay));
    const branches = pushedBranches(applied, project.defaultBranch, brought);
    const deletedBranches = deletedNames(applied, BRANCH_PREFIX);
    const refs = await this.describer.describe(intent, repository, applied, brought);
    const { userId } = intent;
    await this.events.publish(new PushRecorded(projectId, userId, branches, deletedBranches, refs));
    return branches;
  }
}

async function appliedUpdates(
  repository: Repository,
  updates: readonly RefUpdate[],
): Promise<RefUpdate[]> {
  const targets = await repository.refs.getAll(updates.map(({ ref }) => ref));
  return updates.filter(({ newOid }, at) => (targets[at] ?? ZERO_OID) === newOid);
}

function pushedBranches(
  updates: readonly RefUpdate[],
  defaultBranch: string | null,
  brought: Brought,
): PushedBranch[] {
  return updates.flatMap(({ ref, oldOid, newOid }) => {
    if (!ref.startsWith(BRANCH_PREFIX) || newOid === ZERO_OID) return [];
    const name = ref.slice(BRANCH_PREFIX.length);
    const before = oldOid === ZERO_OID ? null : oldOid;
    const newest = brought.get(ref)?.newest ?? [];
    return { name, before, after: newOid, isDefault: name === defaultBranch, newest };
  });
}

function deletedNames(updates: readonly RefUpdate[], prefix: string): string[] {
  return updates
    .filter(({ ref, newOid }) => newOid === ZERO_OID && ref.startsWith(prefix))
    .map(({ ref }) => ref.slice(prefix.length));
}
