import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';
import { ProtectedBranch } from './protected-branch.entity.js';
import type { ProtectionRule } from './protection.policy.js';

/** How a branch is protected; what is undefined stays as it is. */
export type ProtectionFlags = {
  [Flag in 'developersCanPush' | 'developersCanMerge']?: boolean | undefined;
};

@Injectable()
export class ProtectedBranchesRepository {
  constructor(private readonly database: Database) {}

  /** What protects the branches of a project, in the order in which it was set up. */
  rulesOf(projectId: number): Promise<ProtectionRule[]> {
    return this.database.rows<ProtectionRule>(
      `SELECT name, developers_can_push AS "developersCanPush",
              developers_can_merge AS "developersCanMerge"
         FROM protected_branches WHERE project_id = $1 ORDER BY id`,
      [projectId],
    );
  }

  /** Leaves an existing rule of that name as it is (open points 2.6). */
  async addUnlessPresent(
    rule: Pick<ProtectedBranch, 'projectId' | 'name' | 'developersCanPush' | 'developersCanMerge'>,
  ): Promise<void> {
    await this.database
      .of(ProtectedBranch)
      .createQueryBuilder()
      .insert()
      .values(rule)
      .orIgnore()
      .execute();
  }

  /** Makes or changes the rule of that very name, by one statement. */
  async put(projectId: number, name: string, flags: ProtectionFlags): Promise<void> {
    await this.database.rows(
      `INSERT INTO protected_branches AS rule
              (project_id, name, developers_can_push, developers_can_merge)
       VALUES ($1, $2, coalesce($3::boolean, false), coalesce($4::boolean, false))
       ON CONFLICT (project_id, name) DO UPDATE
          SET developers_can_push = coalesce($3::boolean, rule.developers_can_push),
              developers_can_merge = coalesce($4::boolean, rule.developers_can_merge)`,
      [projectId, name, flags.developersCanPush ?? null, flags.developersCanMerge ?? null],
    );
  }

  async remove(projectId: number, name: string): Promise<void> {
    await this.database.of(ProtectedBranch).delete({ projectId, name });
  }
}
