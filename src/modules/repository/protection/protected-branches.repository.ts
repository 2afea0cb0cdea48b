import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';
import { ProtectedBranch } from './protected-branch.entity.js';

@Injectable()
export class ProtectedBranchesRepository {
  constructor(private readonly database: Database) {}

  ofProject(projectId: number): Promise<ProtectedBranch[]> {
    return this.database.of(ProtectedBranch).find({ where: { projectId }, order: { id: 'ASC' } });
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
}
