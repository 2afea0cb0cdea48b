import { Injectable } from '@nestjs/common';
import {
  BRANCH_PREFIX,
  type Oid,
  type PushHistory,
  type RefUpdate,
  type Repository,
  ZERO_OID,
} from '../../../../git/index.js';
import { OnDomainEvent } from '../../../../platform/events/index.js';
import { Outbox } from '../../../../platform/queue/index.js';
import { canBeDefaultBranch, RepositoryImported } from '../../../projects/index.js';
import { SettingsService } from '../../../settings/index.js';
import { ProjectStorage } from '../../../storage/index.js';
import { tidyRepository } from '../../housekeeping/tidy-repository.job.js';
import { ProtectedBranchesRepository } from '../../protection/protected-branches.repository.js';
import { type LockedProject, PushesRepository } from '../pushes.repository.js';

const CONVENTIONAL_NAMES = ['master', 'main'];
/** The most branches of a first push that are compared; of more, the first by name. */
const MOST_COMPARED = 10_000;

/**
 * Sets and protects the default branch of a project when its first commits are pushed or imported
 * (docs/reference/branches.md#the-default-branch). A fork has the default branch of its source, and protects none.
 */
@Injectable()
export class DefaultBranchInitializer {
  constructor(
    private readonly pushes: PushesRepository,
    private readonly protectedBranches: ProtectedBranchesRepository,
    private readonly settings: SettingsService,
    private readonly storage: ProjectStorage,
    private readonly outbox: Outbox,
  ) {}

  /**
   * Does nothing for a project that has a default branch. Safe to repeat after a crash: the choice is stable.
   * @param history of the push, if it was read already
   */
  async initialize(
    project: LockedProject,
    repository: Repository,
    applied: readonly RefUpdate[],
    history: PushHistory | null = null,
  ): Promise<void> {
    if (project.defaultBranch !== null) return;
    const wanted = project.initialBranch ?? (await repository.refs.head());
    const branch =
      conventionalBranch(wanted, applied) ?? (await largestBranch(repository, applied, history));
    if (branch === null) return;
    await repository.refs.setHead(branch);
    await this.pushes.setDefaultBranch(project.id, branch);
    await this.protect(project.id, branch);
    project.defaultBranch = branch;
  }

  /**
   * Does the same for an import, under the push lock, and queues housekeeping. Without a wanted branch, HEAD of the
   * imported repository decides.
   */
  @OnDomainEvent(RepositoryImported)
  async initializeImported({ projectId }: RepositoryImported): Promise<void> {
    const project = await this.pushes.findProject(projectId);
    if (project === null) return;
    const repository = this.storage.repository(project);
    const branches = (await repository.refs.list(BRANCH_PREFIX)).map(
      ({ name, target }): RefUpdate => ({ ref: name, oldOid: ZERO_OID, newOid: target }),
    );
    const wantedRef = BRANCH_PREFIX + String(project.initialBranch);
    const hasWanted = branches.some(({ ref }) => ref === wantedRef);
    const initialBranch = hasWanted ? project.initialBranch : null;
    await this.initialize({ ...project, initialBranch }, repository, branches);
    const { storage } = project;
    await this.outbox.addUnlessWaiting(tidyRepository.with({ projectId, storage }));
  }

  private async protect(projectId: number, name: string): Promise<void> {
    const { defaultBranchProtection: protection } = await this.settings.current();
    if (protection === 'none') return;
    await this.protectedBranches.addUnlessPresent({
      projectId,
      name,
      developersCanPush: protection === 'partial',
      developersCanMerge: false,
    });
  }
}

/** Chooses among the branches of a first push: the wanted one, else `master`, else `main`, else null. */
export function conventionalBranch(
  wanted: string | null,
  applied: readonly RefUpdate[],
): string | null {
  const names = new Set(createdBranches(applied).map(({ name }) => name));
  return [wanted, ...CONVENTIONAL_NAMES].find((name) => name !== null && names.has(name)) ?? null;
}

/** Returns the branch with the most commits, the first by name if there are several; null without branches. */
async function largestBranch(
  repository: Repository,
  applied: readonly RefUpdate[],
  history: PushHistory | null,
): Promise<string | null> {
  const branches = createdBranches(applied).slice(0, MOST_COMPARED);
  if (branches.length < 2) return branches[0]?.name ?? null;
  const ranges = branches.map(({ tip }) => ({ tip, base: null }));
  const totals = await (history ?? (await repository.readPushHistory(ranges))).totalsOf(
    branches.map(({ tip }) => tip),
  );
  const most = Math.max(...totals);
  return branches[totals.indexOf(most)]?.name ?? null;
}

/** Returns the branches that a push creates and that can be the default one, by name. */
function createdBranches(applied: readonly RefUpdate[]): { name: string; tip: Oid }[] {
  return applied
    .filter(({ ref, newOid }) => ref.startsWith(BRANCH_PREFIX) && newOid !== ZERO_OID)
    .map(({ ref, newOid: tip }) => ({ name: ref.slice(BRANCH_PREFIX.length), tip }))
    .filter(({ name }) => canBeDefaultBranch(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
