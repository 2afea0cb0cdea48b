import { Injectable } from '@nestjs/common';
import {
  BRANCH_PREFIX,
  type Oid,
  type PushHistory,
  type RefUpdate,
  type Repository,
  ZERO_OID,
} from '../../../git/index.js';
import { SettingsService } from '../../settings/index.js';
import { ProtectedBranchesRepository } from '../protection/protected-branches.repository.js';
import { type LockedProject, PushIntentsRepository } from './push-intents.repository.js';

const CONVENTIONAL = ['master', 'main'];
/** Of a first push of more branches without such a name, the first by name are compared. */
const MOST_COMPARED = 10_000;

/**
 * `default_branch_protection` of the instance settings
 * (docs/reference/branches.md#default-branch-protection).
 */
const Protection = { NONE: 0, PARTIAL: 1 } as const;

/**
 * Names and protects a project's default branch when its first commits arrive
 * (docs/reference/branches.md#the-default-branch).
 */
@Injectable()
export class DefaultBranch {
  constructor(
    private readonly intents: PushIntentsRepository,
    private readonly protectedBranches: ProtectedBranchesRepository,
    private readonly settings: SettingsService,
  ) {}

  /**
   * Does nothing for a project that has one. Safe to repeat after a crash: the choice is stable.
   * @param history of the push, where it was read before
   */
  async settle(
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
    await this.intents.setDefaultBranch(project.id, branch);
    await this.protect(project.id, branch);
    project.defaultBranch = branch;
  }

  private async protect(projectId: number, name: string): Promise<void> {
    const { defaultBranchProtection: protection } = await this.settings.current();
    if (protection === Protection.NONE) return;
    await this.protectedBranches.addUnlessPresent({
      projectId,
      name,
      developersCanPush: protection === Protection.PARTIAL,
      developersCanMerge: false,
    });
  }
}

/** Of the branches that a first push made: the wanted one, else `master`, else `main`; null without any of them. */
export function conventionalBranch(
  wanted: string | null,
  applied: readonly RefUpdate[],
): string | null {
  const names = new Set(madeBranches(applied).map(({ name }) => name));
  return [wanted, ...CONVENTIONAL].find((name) => name !== null && names.has(name)) ?? null;
}

/** The branch that holds most of the commits; of several the first by name, null where there is no branch. */
async function largestBranch(
  repository: Repository,
  applied: readonly RefUpdate[],
  history: PushHistory | null,
): Promise<string | null> {
  const branches = madeBranches(applied).slice(0, MOST_COMPARED);
  if (branches.length < 2) return branches[0]?.name ?? null;
  const ranges = branches.map(({ tip }) => ({ tip, base: null }));
  const totals = await (history ?? (await repository.readPushHistory(ranges))).totalsOf(
    branches.map(({ tip }) => tip),
  );
  const most = Math.max(...totals);
  return branches[totals.indexOf(most)]?.name ?? null;
}

/** By name. */
function madeBranches(applied: readonly RefUpdate[]): { name: string; tip: Oid }[] {
  return applied
    .filter(({ ref, newOid }) => ref.startsWith(BRANCH_PREFIX) && newOid !== ZERO_OID)
    .map(({ ref, newOid: tip }) => ({ name: ref.slice(BRANCH_PREFIX.length), tip }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
