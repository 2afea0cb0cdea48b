import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';

@Injectable()
export class ReleasesRepository {
  constructor(private readonly database: Database) {}

  /** False when there is one already. */
  async add(projectId: number, tag: string, description: string): Promise<boolean> {
    const rows = await this.database.rows(
      `INSERT INTO releases (project_id, tag, description) VALUES ($1, $2, $3)
       ON CONFLICT (project_id, tag) DO NOTHING RETURNING id`,
      [projectId, tag, description],
    );
    return rows.length > 0;
  }

  /** False when there is none. */
  async update(projectId: number, tag: string, description: string): Promise<boolean> {
    const rows = await this.database.rows(
      `UPDATE releases SET description = $3, updated_at = now()
        WHERE project_id = $1 AND tag = $2 RETURNING id`,
      [projectId, tag, description],
    );
    return rows.length > 0;
  }
}
