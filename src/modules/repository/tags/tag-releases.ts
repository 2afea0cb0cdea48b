import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';

interface ReleaseRow {
  tag: string;
  description: string;
}

/** What is written about tags, where there is something. */
@Injectable()
export class TagReleases {
  constructor(private readonly database: Database) {}

  /** The bytes of descriptions by the name of the tag; one statement. */
  async sizesOf(projectId: number, names: readonly string[]): Promise<ReadonlyMap<string, number>> {
    if (names.length === 0) return new Map();
    const rows = await this.database.rows<{ tag: string; bytes: number }>(
      `SELECT tag, octet_length(description) AS bytes
         FROM releases WHERE project_id = $1 AND tag = ANY($2)`,
      [projectId, names],
    );
    return new Map(rows.map(({ tag, bytes }) => [tag, bytes]));
  }

  /** Descriptions by the name of the tag; one statement. */
  async ofTags(projectId: number, names: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (names.length === 0) return new Map();
    const rows = await this.database.rows<ReleaseRow>(
      'SELECT tag, description FROM releases WHERE project_id = $1 AND tag = ANY($2)',
      [projectId, names],
    );
    return new Map(rows.map(({ tag, description }) => [tag, description]));
  }
}
