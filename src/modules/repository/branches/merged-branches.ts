import { Injectable } from '@nestjs/common';
import {
  BRANCH_PREFIX,
  type Ref,
  type RefUpdate,
  type Repository,
  ZERO_OID,
} from '../../../git/index.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { forbidden } from '../../../platform/errors/index.js';
import { Outbox } from '../../../platform/queue/index.js';
import { ProjectStorage } from '../../projects/index.js';
import { protectionOf } from '../protection/protection.policy.js';
import { ProtectedBranchesRepository } from '../protection/protected-branches.repository.js';
import { ApiPush } from '../pushes/api-push.js';
import type { Pusher } from '../pushes/push-session.js';
import { deleteMergedBranches } from '../repository.jobs.js';
import { isHead } from './branch-writes.service.js';

/** Branches that are deleted by one push. */
const AT_ONCE = 50;

/**
 * Deletes the branches that are not needed any more
 * (docs/reference/branches.md#delete-projectsidrepositorymerged_branches).
 */
@Injectable()
export class MergedBranches {
  constructor(
    private readonly work: UnitOfWork,
    private readonly outbox: Outbox,
    private readonly storage: ProjectStorage,
    private readonly push: ApiPush,
    private readonly protectedBranches: ProtectedBranchesRepository,
  ) {}

  /** Leaves the work to a job. @throws DomainError forbidden in an archived project */
  async begin({ access, userId }: Pusher): Promise<void> {
    const { id: projectId, archived } = access.project;
    if (archived) throw forbidden();
    const job = deleteMergedBranches.with({ projectId, userId });
    await this.work.run(() => this.outbox.addUnlessWaiting(job));
  }

  /** Deletes all that are merged now; can be repeated. */
  async delete(pusher: Pusher, signal: AbortSignal): Promise<void> {
    const { project } = pusher.access;
    const repository = this.storage.repository(project);
    const merged = await this.merged(
      pusher,
      repository,
      await repository.refs.list(BRANCH_PREFIX),
      signal,
    );
    for (let at = 0; at < merged.length; at += AT_ONCE) {
      signal.throwIfAborted();
      const some = merged.slice(at, at + AT_ONCE);
      await this.push.run(pusher, async (locked) => {
        const still = await unmoved(locked, some);
        const updates = await this.merged(pusher, locked, still, signal);
        return { updates: updates.map(deletion), result: undefined };
      });
    }
  }

  private async merged(
    { access: { project } }: Pusher,
    repository: Repository,
    branches: readonly Ref[],
    signal: AbortSignal,
  ): Promise<Ref[]> {
    const { defaultBranch } = project;
    const trunk =
      defaultBranch === null ? null : await repository.refs.get(BRANCH_PREFIX + defaultBranch);
    if (trunk === null) return [];
    const rules = await this.protectedBranches.rulesOf(project.id);
    const merged: Ref[] = [];
    for (const branch of branches) {
      signal.throwIfAborted();
      const name = branch.name.slice(BRANCH_PREFIX.length);
      const isKept =
        protectionOf(name, rules).protected || (await isHead(repository, project, name));
      if (!isKept && (await repository.isAncestor(branch.target, trunk))) merged.push(branch);
    }
    return merged;
  }
}

/** Those that are where they were seen. */
async function unmoved({ refs }: Repository, branches: readonly Ref[]): Promise<Ref[]> {
  const targets = await Promise.all(branches.map(({ name }) => refs.get(name)));
  return branches.filter(({ target }, index) => targets[index] === target);
}

function deletion({ name, target }: Ref): RefUpdate {
  return { ref: name, oldOid: target, newOid: ZERO_OID };
}
