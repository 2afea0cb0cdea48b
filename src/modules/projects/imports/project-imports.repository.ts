import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';
import { Secrets } from '../../../platform/secrets/index.js';
import type { ImportCredentials, ImportSource } from './import-source.js';
import { ProjectImport } from './project-import.entity.js';

/** What a run of the import needs to know. */
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

/** The record of imports. Credentials are in it encrypted, and only until the import has ended. */
@Injectable()
export class ProjectImportsRepository {
  constructor(
    private readonly database: Database,
    private readonly secrets: Secrets,
  ) {}

  async begin(projectId: number, userId: number, source: ImportSource): Promise<void> {
    const { address, credentials } = source;
    const credentialsSealed = credentials && this.secrets.seal(JSON.stringify(credentials));
    await this.database.of(ProjectImport).insert({ projectId, userId, address, credentialsSealed });
    await this.database.rows(`UPDATE projects SET repository_state = 'importing' WHERE id = $1`, [
      projectId,
    ]);
  }

  /** Null for a project that was not imported. */
  find(projectId: number): Promise<ProjectImport | null> {
    return this.database.of(ProjectImport).findOneBy({ projectId });
  }

  /** Null when there is nothing to import any more: it has ended, or the project is gone. */
  async start(projectId: number): Promise<RunningImport | null> {
    const [row] = await this.database.rows<Row>(
      `UPDATE project_imports i SET state = 'running', progress = 0, updated_at = now()
         FROM projects p
        WHERE i.project_id = $1 AND i.state IN ('waiting', 'running')
          AND p.id = i.project_id AND p.deleted_at IS NULL
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

  /** False when the import need not go on, since its project is gone. */
  async advance(projectId: number, progress: number): Promise<boolean> {
    const rows = await this.database.rows(
      `UPDATE project_imports i SET progress = $2, updated_at = now()
         FROM projects p
        WHERE i.project_id = $1 AND i.state = 'running'
          AND p.id = i.project_id AND p.deleted_at IS NULL
       RETURNING i.project_id`,
      [projectId, progress],
    );
    return rows.length > 0;
  }

  /**
   * Ends the import and forgets its credentials; false when it had ended before.
   * @param failure why it failed, null when it did not
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
   * Imports that nothing has been heard of for a while, and projects that wait for one without a
   * record. The former are answered once in that time.
   */
  async abandoned(minutes: number): Promise<number[]> {
    const silent = await this.database.rows<{ id: number }>(
      `UPDATE project_imports SET updated_at = now()
        WHERE state IN ('waiting', 'running') AND updated_at < now() - $1 * interval '1 minute'
       RETURNING project_id AS id`,
      [minutes],
    );
    const lost = await this.database.rows<{ id: number }>(
      `SELECT id FROM projects p
        WHERE repository_state = 'importing' AND deleted_at IS NULL
          AND NOT EXISTS (SELECT 1 FROM project_imports i WHERE i.project_id = p.id)`,
    );
    return [...silent, ...lost].map(({ id }) => id);
  }
}
