import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';

/** The IDs of uploads, which are files without rows (docs/decisions/0018-uploads.md). */
@Injectable()
export class UploadIdsRepository {
  constructor(private readonly database: Database) {}

  /** Takes the next ID. */
  async next(): Promise<number> {
    const [row] = await this.database.rows<{ id: number }>(
      `SELECT nextval('upload_ids')::int AS id`,
    );
    if (row === undefined) throw new Error('The sequence of uploads has no next value');
    return row.id;
  }
}
