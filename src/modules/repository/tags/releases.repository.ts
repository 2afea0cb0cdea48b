import { Injectable } from '@nestjs/common';
import { Database, rowsWhere } from '../../../platform/database/index.js';

const OF_TAGS = `
  FROM unnest($2::text[]) AS asked (tag)
 CROSS JOIN ${rowsWhere('releases', 'project_id = $1 AND tag = asked.tag')} r`;

/** The releases of tags. The recorder of pushes deletes those of deleted tags. */
@Injectable()
export class ReleasesRepository {
  constructor(private readonly database: Database) {}

  /** Returns the size of descriptions in bytes, by the names of tags. */
  async sizesOf(projectId: number, tags: readonly string[]): Promise<ReadonlyMap<string, number>> {
    if (tags.length === 0) return new Map();
    const rows = await this.database.rows<{ tag: string; bytes: number }>(
      `SELECT r.tag, octet_length(r.description) AS bytes ${OF_TAGS}`,
      [projectId, tags],
    );
    return new Map(rows.map(({ tag, bytes }) => [tag, bytes]));
  }

  /** Returns descriptions by the names of tags. */
  async descriptionsOf(
    projectId: number,
    tags: readonly string[],
  ): Promise<ReadonlyMap<string, string>> {
    if (tags.length === 0) return new Map();
    const rows = await this.database.rows<{ tag: string; description: string }>(
      `SELECT r.tag, r.description ${OF_TAGS}`,
      [projectId, tags],
    );
    return new Map(rows.map(({ tag, description }) => [tag, description]));
  }

  /** @returns false when the tag has a release already */
  async insert(projectId: number, tag: string, description: string): Promise<boolean> {
    const rows = await this.database.rows(
      `INSERT INTO releases (project_id, tag, description) VALUES ($1, $2, $3)
       ON CONFLICT (project_id, tag) DO NOTHING RETURNING id`,
      [projectId, tag, description],
    );
    return rows.length > 0;
  }

  /** @returns false when the tag has no release */
  async update(projectId: number, tag: string, description: string): Promise<boolean> {
    const rows = await this.database.rows(
      `UPDATE releases SET description = $3, updated_at = now()
        WHERE project_id = $1 AND tag = $2 RETURNING id`,
      [projectId, tag, description],
    );
    return rows.length > 0;
  }
}
