import { Injectable } from '@nestjs/common';
import { Database, notDeleted } from '../../../platform/database/index.js';
import { findProjectsWithIntents } from './projects-with-intents.query.js';
import { PushIntent } from './push-intent.entity.js';

/** A project as it was read under its push lock. */
export interface LockedProject {
  id: number;
  storage: string;
  defaultBranch: string | null;
  /** The branch that the first commit is to make the default branch; null means `master`. */
  initialBranch: string | null;
  /** `ready`, or how the repository is being filled: nothing else writes to it meanwhile. */
  repositoryState: string;
  refsVersion: number;
  /** Whether there were intents of pushes, under way or interrupted. */
  hasIntents: boolean;
}

type NewIntent = Omit<PushIntent, 'id' | 'createdAt'>;

const IN_EPOCH = 'SELECT FROM processes WHERE id = $7 AND epoch = $8';

/** Reads and writes what pushes need of the database: intents, and the rows that a push changes. */
@Injectable()
export class PushesRepository {
  constructor(private readonly database: Database) {}

  /** Null for a project that is deleted. */
  async findProject(id: number): Promise<LockedProject | null> {
    const [row] = await this.database.rows<LockedProject>(
      `SELECT id, storage, default_branch AS "defaultBranch", initial_branch AS "initialBranch",
              repository_state AS "repositoryState", refs_version AS "refsVersion",
              EXISTS (SELECT FROM push_intents i WHERE i.project_id = projects.id) AS "hasIntents"
         FROM projects WHERE id = $1 AND ${notDeleted()}`,
      [id],
    );
    return row ?? null;
  }

  /** @returns null when others have taken over what the process had in its epoch */
  async insertIntent(intent: NewIntent): Promise<PushIntent | null> {
    const { projectId, userId, updates, host, pid, machine, processId, epoch, isGuarded } = intent;
    const [row] = await this.database.rows<Pick<PushIntent, 'id' | 'createdAt'>>(
      `INSERT INTO push_intents (project_id, user_id, updates, host, pid, machine, process_id,
                                 epoch, is_guarded)
       SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9
        WHERE $7::uuid IS NULL OR EXISTS (${IN_EPOCH})
       RETURNING id, created_at AS "createdAt"`,
      [projectId, userId, JSON.stringify(updates), host, pid, machine, processId, epoch, isGuarded],
    );
    return row === undefined ? null : Object.assign(new PushIntent(), intent, row);
  }

  /** Lists the intents of a project, oldest first. */
  findIntents(projectId: number): Promise<PushIntent[]> {
    return this.database.of(PushIntent).find({ where: { projectId }, order: { id: 'ASC' } });
  }

  /** @returns false when there is none any more */
  async deleteIntent(id: string): Promise<boolean> {
    const rows = await this.database.rows('DELETE FROM push_intents WHERE id = $1 RETURNING id', [
      id,
    ]);
    return rows.length > 0;
  }

  /** Lists the projects that have intents of pushes, under way or interrupted. */
  findProjectsWithIntents(): Promise<number[]> {
    return findProjectsWithIntents(this.database);
  }

  async setDefaultBranch(projectId: number, branch: string): Promise<void> {
    await this.database.rows('UPDATE projects SET default_branch = $2 WHERE id = $1', [
      projectId,
      branch,
    ]);
  }
}
