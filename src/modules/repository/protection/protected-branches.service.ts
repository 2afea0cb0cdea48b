import { Injectable } from '@nestjs/common';
import { BRANCH_PREFIX } from '../../../git/index.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { DomainError, notFound } from '../../../platform/errors/index.js';
import { allows, type ProjectAccess, type ProjectRef } from '../../authorization/index.js';
import { AuditLog } from '../../audit/index.js';
import { ProjectStorage } from '../../storage/index.js';
import {
  ProtectedBranchesRepository,
  type ProtectionFlags,
} from './protected-branches.repository.js';
import { branchRefused } from '../shared/refusals.js';
import { abilityToMerge, protectionOf, ProtectionRules } from './protection.policy.js';

const MAX_NAME = 255;
/** Every push reads all of them. */
export const PROTECTED_BRANCHES_PER_PROJECT = 1_000;

/** Protected branches (docs/reference/branches.md#protected-branches). */
@Injectable()
export class ProtectedBranchesService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly rules: ProtectedBranchesRepository,
    private readonly storage: ProjectStorage,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Protects an existing branch, by its exact name. Absent flags stay as they are; in a new rule they are
   * false.
   * @throws DomainError not found, branch refused, too many protected branches
   */
  async protect(project: ProjectRef, name: string, flags: ProtectionFlags): Promise<void> {
    await this.requireBranch(project, name);
    if (name.length > MAX_NAME) throw branchRefused('invalid-name');
    await this.work.run(async () => {
      const mayPut = await this.rules.mayPut(project.id, name, PROTECTED_BRANCHES_PER_PROJECT);
      if (!mayPut) {
        const limit = PROTECTED_BRANCHES_PER_PROJECT;
        throw new DomainError({ code: 'too-many-protected-branches', limit });
      }
      const rule = await this.rules.put(project.id, name, flags);
      await this.audit.record({
        action: 'branch.protected',
        target: { type: 'branch', name },
        projectId: project.id,
        details: {
          developers_can_push: rule.developersCanPush,
          developers_can_merge: rule.developersCanMerge,
        },
      });
    });
  }

  /** Succeeds for a branch that is not protected, too. @throws DomainError not found */
  async unprotect(project: ProjectRef, name: string): Promise<void> {
    await this.requireBranch(project, name);
    await this.work.run(async () => {
      if (!(await this.rules.remove(project.id, name))) return;
      const target = { type: 'branch', name } as const;
      await this.audit.record({ action: 'branch.unprotected', target, projectId: project.id });
    });
  }

  /** Whether a user with this access may accept merge requests into a branch; false in an archived project. */
  async mayMerge(access: ProjectAccess, branch: string): Promise<boolean> {
    if (access.project.archived || !allows(access, 'code:push')) return false;
    // No rule refuses them, so that none is read.
    if (allows(access, 'branch:push-protected')) return true;
    const rules = await this.rules.rulesOf(access.project.id);
    return allows(access, abilityToMerge(protectionOf(branch, rules)));
  }

  /** Returns whether a branch of a project is protected, after one statement for all of them. */
  async findProtection(projectId: number): Promise<(branch: string) => boolean> {
    const rules = new ProtectionRules(await this.rules.rulesOf(projectId));
    return (branch) => rules.find(branch).protected;
  }

  private async requireBranch(project: ProjectRef, name: string): Promise<void> {
    const target = await this.storage.repository(project).refs.get(BRANCH_PREFIX + name);
    if (target === null) throw notFound('branch');
  }
}
