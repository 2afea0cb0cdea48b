import { Injectable } from '@nestjs/common';
import { BatchedReads, Database, hasRoomForRow } from '../../../platform/database/index.js';
import { ProtectedBranch } from './protected-branch.entity.js';
import type { ProtectionRule } from './protection.policy.js';

/** The flags of a rule; an undefined one stays as it is. */
export type ProtectionFlags = {
  [Flag in 'developersCanPush' | 'developersCanMerge']?: boolean | undefined;
};

const RULES = `
  SELECT project_id AS "projectId", name, developers_can_push AS "developersCanPush",
         developers_can_merge AS "developersCanMerge"
    FROM protected_branches WHERE project_id = ANY($1) ORDER BY id`;

@Injectable()
export class ProtectedBranchesRepository {
  private readonly reads = new BatchedReads<number, ProtectionRule[]>({
    key: (projectId) => projectId,
    answer: (projectIds) => this.rulesOfAll(projectIds),
  });

  constructor(private readonly database: Database) {}

  /** Reads the rules of a project, oldest first. Concurrent callers share a statement. */
  rulesOf(projectId: number): Promise<ProtectionRule[]> {
    return this.reads.ask(projectId);
  }

  private async rulesOfAll(projectIds: readonly number[]): Promise<ProtectionRule[][]> {
    const rows = await this.database.rows<ProtectionRule & { projectId: number }>(RULES, [
      projectIds,
    ]);
    const rules = new Map<number, ProtectionRule[]>(projectIds.map((id) => [id, []]));
    for (const { projectId, ...rule } of rows) rules.get(projectId)?.push(rule);
    return [...rules.values()];
  }

  /**
   * Inserts a rule unless the project has one of that name
   * (docs/reference/branches.md#put-projectsidrepositorybranchesbranchprotect).
   */
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

  /** Inserts the rule of that name, or updates it, and returns it. */
  async put(projectId: number, name: string, flags: ProtectionFlags): Promise<ProtectionRule> {
    const [rule] = await this.database.rows<ProtectionRule>(
      `INSERT INTO protected_branches AS rule
              (project_id, name, developers_can_push, developers_can_merge)
       VALUES ($1, $2, coalesce($3::boolean, false), coalesce($4::boolean, false))
       ON CONFLICT (project_id, name) DO UPDATE
          SET developers_can_push = coalesce($3::boolean, rule.developers_can_push),
              developers_can_merge = coalesce($4::boolean, rule.developers_can_merge)
       RETURNING name, developers_can_push AS "developersCanPush",
                 developers_can_merge AS "developersCanMerge"`,
      [projectId, name, flags.developersCanPush ?? null, flags.developersCanMerge ?? null],
    );
    return rule as ProtectionRule;
  }

  /** Whether the project has a rule of that name, or fewer rules than the limit. Requires a unit of work. */
  async mayPut(projectId: number, name: string, limit: number): Promise<boolean> {
    const owner = { table: 'protected_branches', column: 'project_id', ownerId: projectId };
    if (await hasRoomForRow(this.database, owner, limit)) return true;
    return this.database.of(ProtectedBranch).existsBy({ projectId, name });
  }

  /** @returns whether there was such a rule */
  async remove(projectId: number, name: string): Promise<boolean> {
    const { affected } = await this.database.of(ProtectedBranch).delete({ projectId, name });
    return affected === 1;
  }
}
