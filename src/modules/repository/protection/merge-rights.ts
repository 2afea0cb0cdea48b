import { Injectable } from '@nestjs/common';
import { allows, type ProjectAccess } from '../../access/index.js';
import { abilityToMerge, protectionOf } from './protection.policy.js';
import { ProtectedBranchesRepository } from './protected-branches.repository.js';

/**
 * Tells who may accept merge requests into which branches
 * (docs/reference/branches.md#protected-branches).
 */
@Injectable()
export class MergeRights {
  constructor(private readonly rules: ProtectedBranchesRepository) {}

  /** Whether somebody with this standing may push or merge to a branch; nobody in an archived project. */
  async allow(access: ProjectAccess, branch: string): Promise<boolean> {
    if (access.project.archived) return false;
    const rules = await this.rules.rulesOf(access.project.id);
    return allows(access, abilityToMerge(protectionOf(branch, rules)));
  }
}
