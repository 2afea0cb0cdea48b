import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';
import { RepositoryLocks } from '../../projects/index.js';
import { PushIntent } from './push-intent.entity.js';

export interface LockedProject {
  id: number;
  storage: string;
  defaultBranch: string | null;
  /** The branch that the first commit is to make the default one; null is `master`. */
  initialBranch: string | null;
  /** `ready`, or what the repository is being filled by: then nobody else writes to it. */
  repositoryState: string;
  /** Whether pushes to it are under way or left behind, when it was read. */
  hasIntents: boolean;
}

@Injectable()
export class PushIntentsRepository {
  constructor(
    private readonly database: Database,
    private readonly locks: RepositoryLocks,
  ) {}

  /** Waits for the project's push lock and holds it to the end of the unit of work. */
  lock(projectId: number): Promise<void> {
    return this.locks.take(projectId);
  }

  /** False when somebody else holds the lock. */
  tryLock(projectId: number): Promise<boolean> {
    return this.locks.tryTake(projectId);
  }

  /** Null for a project that is deleted. */
  async findProject(id: number): Promise<LockedProject | null> {
    const [row] = await this.database.rows<LockedProject>(
      `SELECT id, storage, default_branch AS "defaultBranch", initial_branch AS "initialBranch",
              repository_state AS "repositoryState",
              EXISTS (SELECT FROM push_intents i WHERE i.project_id = projects.id) AS "hasIntents"
         FROM projects WHERE id = $1 AND deleted_at IS NULL`,
      [id],
    );
    return row ?? null;
  }

  async insert(
    intent: Pick<PushIntent, 'projectId' | 'userId' | 'updates' | 'host' | 'pid'>,
  ): Promise<PushIntent> {
    const { projectId, userId, updates, host, pid } = intent;
    const [row] = await this.database.rows<Pick<PushIntent, 'id' | 'createdAt'>>(
      `INSERT INTO push_intents (project_id, user_id, updates, host, pid)
       VALUES ($1, $2, $3, $4, $5) RETURNING id, created_at AS "createdAt"`,
      [projectId, userId, JSON.stringify(updates), host, pid],
    );
    return Object.assign(new PushIntent(), intent, row);
  }

  ofProject(projectId: number): Promise<PushIntent[]> {
    return this.database.of(PushIntent).find({ where: { projectId }, order: { id: 'ASC' } });
  }

  async delete(id: string): Promise<void> {
    await this.database.rows('DELETE FROM push_intents WHERE id = $1', [id]);
  }

  /** The projects with pushes under way or left behind. */
  async projectsWithIntents(): Promise<number[]> {
    const rows = await this.database.rows<{ projectId: number }>(
      'SELECT DISTINCT project_id AS "projectId" FROM push_intents',
    );
    return rows.map(({ projectId }) => projectId);
  }

  /** What was written about tags goes with them. */
  async deleteReleases(projectId: number, tags: readonly string[]): Promise<void> {
    await this.database.rows('DELETE FROM releases WHERE project_id = $1 AND tag = ANY($2)', [
      projectId,
      tags,
    ]);
  }

  async setDefaultBranch(projectId: number, branch: string): Promise<void> {
    await this.database.rows('UPDATE projects SET default_branch = $2 WHERE id = $1', [
      projectId,
      branch,
    ]);
  }
}
