import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';
import type { Issuable } from '../issuable.js';
import type { OriginType } from './note.entity.js';

/** What mentioned an issue or merge request. */
export interface NoteOrigin {
  readonly type: OriginType;
  readonly projectId: number;
  /** ID of an issue or merge request, hash of a commit. */
  readonly id: number | string;
}

/** The notes that the service writes on what happens to an issue or merge request (open points 5.17). */
@Injectable()
export class SystemNotes {
  constructor(private readonly database: Database) {}

  /**
   * Writes a note in the caller's unit of work. They raise no todo, no event and no hook.
   * @param origin of a note that tells of a mention: a second one for the same pair is not written
   */
  async write(
    { type, id, projectId }: Pick<Issuable, 'type' | 'id' | 'projectId'>,
    authorId: number,
    body: string,
    origin?: NoteOrigin,
  ): Promise<void> {
    const isCommit = origin?.type === 'Commit';
    await this.database.rows(INSERT, [
      ...[projectId, type, id, authorId, body],
      ...[origin?.type ?? null, origin?.projectId ?? null],
      ...[isCommit ? null : (origin?.id ?? null), isCommit ? origin.id : null],
    ]);
  }
}

const INSERT = `
  INSERT INTO notes (project_id, noteable_type, noteable_id, author_id, body, system,
                     origin_type, origin_project_id, origin_id, origin_sha)
  VALUES ($1, $2, $3, $4, $5, true, $6, $7, $8, $9)
  ON CONFLICT DO NOTHING`;
