import { Injectable } from '@nestjs/common';
import { type PushHistory, type RefUpdate, type Repository, ZERO_OID } from '../../../git/index.js';
import { ProjectStorage } from '../../projects/index.js';
import { BroughtCommits } from './brought-commits.js';
import { DefaultBranch } from './default-branch.js';
import { PushActivities } from './push-activities.js';
import { PushAftermath } from './push-aftermath.js';
import type { PushIntent } from './push-intent.entity.js';
import { type LockedProject, PushIntentsRepository } from './push-intents.repository.js';
import type { PushedBranch } from './push.events.js';
import { pushedBranches } from './pushed-branches.js';

const TAGS = 'refs/tags/';

/** Writes down what came of a push: the only place where one is completed, by hand or after a crash. */
@Injectable()
export class PushOutcome {
  constructor(
    private readonly intents: PushIntentsRepository,
    private readonly storage: ProjectStorage,
    private readonly defaultBranch: DefaultBranch,
    private readonly brought: BroughtCommits,
    private readonly activities: PushActivities,
    private readonly aftermath: PushAftermath,
  ) {}

  /**
   * Records the updates that git really made and forgets the intent, in the caller's unit of work.
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
    let branches: PushedBranch[] = [];
    if (applied.length > 0) {
      await this.defaultBranch.settle(project, repository, applied, history);
      const brought = await this.brought.of(project, repository, applied, history);
      branches = pushedBranches(applied, project.defaultBranch, brought);
      const tags = deletedTags(applied);
      if (tags.length > 0) await this.intents.deleteReleases(project.id, tags);
      await this.aftermath.begin(intent, project, applied, branches);
      // Last, as everywhere: it locks the project, which those want last who hold what has followed.
      await this.activities.record(intent, repository, applied, brought);
    }
    await this.intents.delete(intent.id);
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

function deletedTags(updates: readonly RefUpdate[]): string[] {
  return updates
    .filter(({ ref, newOid }) => newOid === ZERO_OID && ref.startsWith(TAGS))
    .map(({ ref }) => ref.slice(TAGS.length));
}
