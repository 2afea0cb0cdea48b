import { Injectable } from '@nestjs/common';
import { type RefUpdate, type Repository, ZERO_OID } from '../../../git/index.js';
import { SettingsService } from '../../settings/index.js';
import { ProtectedBranchesRepository } from '../protection/protected-branches.repository.js';
import { type LockedProject, PushIntentsRepository } from './push-intents.repository.js';

const HEADS = 'refs/heads/';
const CONVENTIONAL = 'master';

/** `default_branch_protection` of the instance settings (open points 2.6). */
const Protection = { NONE: 0, PARTIAL: 1 } as const;

/** Names and protects a project's default branch when its first commits arrive (open points 5.11). */
@Injectable()
export class DefaultBranch {
  constructor(
    private readonly intents: PushIntentsRepository,
    private readonly protectedBranches: ProtectedBranchesRepository,
    private readonly settings: SettingsService,
  ) {}

  /** Does nothing for a project that has one. Safe to repeat after a crash: the choice is stable. */
  async settle(
    project: LockedProject,
    repository: Repository,
    applied: readonly RefUpdate[],
  ): Promise<void> {
    if (project.defaultBranch !== null) return;
    const wanted = project.initialBranch ?? (await repository.refs.head());
    const branch = chooseDefaultBranch(wanted, applied);
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

/**
 * Of the branches that a first push made: the wanted one, else `master`, else the first by name. Null
 * when it made none.
 */
export function chooseDefaultBranch(
  wanted: string | null,
  applied: readonly RefUpdate[],
): string | null {
  const branches = applied
    .filter(({ ref, newOid }) => ref.startsWith(HEADS) && newOid !== ZERO_OID)
    .map(({ ref }) => ref.slice(HEADS.length))
    .sort();
  const preferred = [wanted, CONVENTIONAL].find((name) => name !== null && branches.includes(name));
  return preferred ?? branches[0] ?? null;
}
