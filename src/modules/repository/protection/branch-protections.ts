import { Injectable } from '@nestjs/common';
import { BRANCH_PREFIX } from '../../../git/index.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { notFound, ruleViolated } from '../../../platform/errors/index.js';
import { PROTECTED_BRANCHES_PER_PROJECT } from '../../../platform/limits/index.js';
import type { ProjectRef } from '../../access/index.js';
import { ProjectStorage } from '../../projects/index.js';
import {
  ProtectedBranchesRepository,
  type ProtectionFlags,
} from './protected-branches.repository.js';

const MAX_NAME = 255;
const TOO_MANY = `Maximum number of protected branches (${String(PROTECTED_BRANCHES_PER_PROJECT)}) exceeded`;

/**
 * Protects existing branches by their exact names
 * (docs/reference/branches.md#put-projectsidrepositorybranchesbranchprotect).
 */
@Injectable()
export class BranchProtections {
  constructor(
    private readonly work: UnitOfWork,
    private readonly rules: ProtectedBranchesRepository,
    private readonly storage: ProjectStorage,
  ) {}

  /**
   * Flags that are not given stay as they are, false in a new rule.
   * @throws DomainError not found, rule violated for a rule beyond `PROTECTED_BRANCHES_PER_PROJECT`
   */
  async protect(project: ProjectRef, name: string, flags: ProtectionFlags): Promise<void> {
    await this.requireBranch(project, name);
    if (name.length > MAX_NAME) throw ruleViolated('Branch name is invalid');
    await this.work.run(async () => {
      const mayPut = await this.rules.mayPut(project.id, name, PROTECTED_BRANCHES_PER_PROJECT);
      if (!mayPut) throw ruleViolated(TOO_MANY);
      await this.rules.put(project.id, name, flags);
    });
  }

  /** Fine where there is no rule. @throws DomainError not found */
  async unprotect(project: ProjectRef, name: string): Promise<void> {
    await this.requireBranch(project, name);
    await this.rules.remove(project.id, name);
  }

  private async requireBranch(project: ProjectRef, name: string): Promise<void> {
    const target = await this.storage.repository(project).refs.get(BRANCH_PREFIX + name);
    if (target === null) throw notFound('Branch');
  }
}
