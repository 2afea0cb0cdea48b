import { Injectable } from '@nestjs/common';
import { Database, notDeleted } from '../../../../platform/database/index.js';
import { Secrets } from '../../../../platform/secrets/index.js';
import type { ImportCredentials, ImportSource } from './import-source.js';
import { ProjectImport } from './project-import.entity.js';

/** An import that a job runs. */
export interface RunningImport {
  projectId: number;
  userId: number;
  storage: string;
  address: string;
  credentials: ImportCredentials | null;
}

interface Row extends Omit<RunningImport, 'credentials'> {
  credentialsSealed: string | null;
}

/** Imports. Their credentials are encrypted, and deleted when the import has ended. */
@Injectable()
export class ImportsRepository {
  constructor(
    private readonly database: Database,
    private readonly secrets: Secrets,
  ) {}

  /** Inserts an import and marks the repository as being filled. Needs a unit of work. */
  async insert(projectId: number, userId: number, source: ImportSource): Promise<void> {
    const { address, credentials } = source;
    const credentialsSealed = credentials && this.secrets.seal(JSON.stringify(credentials));
    await this.database.of(ProjectImport).insert({ projectId, userId, address, credentialsSealed });
    await this.database.rows(`UPDATE projects SET repository_state = 'importing' WHERE id = $1`, [
      projectId,
    ]);
  }

  /** Removes the import of a project if it has ended. */
  async removeEnded(projectId: number): Promise<void> {
    await this.database.rows(
      `DELETE FROM project_imports WHERE project_id = $1 AND state IN ('finished', 'failed')`,
      [projectId],
    );
  }

  /** @returns null for a project that was not imported */
  find(projectId: number): Promise<ProjectImport | null> {
    return this.database.of(ProjectImport).findOneBy({ projectId });
  }

  /** Marks an import as running. @returns null when it has ended or the project is deleted */
  async start(projectId: number): Promise<RunningImport | null> {
    const [row] = await this.database.rows<Row>(
      `UPDATE project_imports i SET state = 'running', progress = 0, updated_at = now()
         FROM projects p
        WHERE i.project_id = $1 AND i.state IN ('waiting', 'running')
          AND p.id = i.project_id AND ${notDeleted('p')}
       RETURNING i.project_id AS "projectId", i.user_id AS "userId", p.storage, i.address,
                 i.credentials_sealed AS "credentialsSealed"`,
      [projectId],
    );
    if (row === undefined) return null;
    const { credentialsSealed, ...found } = row;
    const credentials =
      credentialsSealed === null
        ? null
        : (JSON.parse(this.secrets.open(credentialsSealed)) as ImportCredentials);
    return { ...found, credentials };
  }

  /** Records the progress. @returns false when the import has ended or the project is deleted */
  async advance(projectId: number, progress: number): Promise<boolean> {
    const rows = await this.database.rows(
      `UPDATE project_imports i SET progress = $2, updated_at = now()
         FROM projects p
        WHERE i.project_id = $1 AND i.state = 'running'
          AND p.id = i.project_id AND ${notDeleted('p')}
       RETURNING i.project_id`,
      [projectId, progress],
    );
    return rows.length > 0;
  }

  /**
   * Ends an import and deletes its credentials.
   * @param failure why it failed, null when it succeeded
   * @returns false when it had ended before
   */
  async end(projectId: number, failure: string | null): Promise<boolean> {
    const rows = await this.database.rows(
      `UPDATE project_imports
          SET state = CASE WHEN $2::text IS NULL THEN 'finished' ELSE 'failed' END, failure = $2,
              progress = CASE WHEN $2::text IS NULL THEN 100 ELSE progress END,
              credentials_sealed = NULL, updated_at = now()
        WHERE project_id = $1 AND state IN ('waiting', 'running')
       RETURNING project_id`,
      [projectId, failure],
    );
    return rows.length > 0;
  }

  /**
   * Lists imports that were not updated for some time, once in that time, and projects that wait for an import
   * without a row.
   */
  async listAbandoned(minutes: number): Promise<number[]> {
    const stalled = await this.database.rows<{ id: number }>(
      `UPDATE project_imports SET updated_at = now()
        WHERE state IN ('waiting', 'running') AND updated_at < now() - $1 * interval '1 minute'
       RETURNING project_id AS id`,
      [minutes],
    );
    const orphaned = await this.database.rows<{ id: number }>(
      `SELECT id FROM projects p
        WHERE repository_state = 'importing' AND deleted_at IS NULL
          AND NOT EXISTS (SELECT 1 FROM project_imports i WHERE i.project_id = p.id)`,
    );
    return [...stalled, ...orphaned].map(({ id }) => id);
  }
}
