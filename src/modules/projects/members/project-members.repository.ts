import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';
import { ProjectAccessRepository } from '../../access/index.js';
import { MembersRepository } from '../../groups/index.js';
import { UsersRepository } from '../../users/index.js';

@Injectable()
export class ProjectMembersRepository extends MembersRepository {
  constructor(
    database: Database,
    users: UsersRepository,
    private readonly projects: ProjectAccessRepository,
  ) {
    super(database, users, { name: 'project_members', sourceColumn: 'project_id' });
  }

  /** Keeps a project's rows from being removed before the unit of work ends; false when it is gone. */
  holdProject(projectId: number): Promise<boolean> {
    return this.projects.hold(projectId);
  }

  /** Whether the project lies in the personal namespace of this user. */
  async isPersonalOwner(projectId: number, userId: number): Promise<boolean> {
    const rows = await this.database.rows(
      `SELECT 1 FROM projects p JOIN namespaces n ON n.id = p.namespace_id
        WHERE p.id = $1 AND n.owner_id = $2`,
      [projectId, userId],
    );
    return rows.length > 0;
  }
}
