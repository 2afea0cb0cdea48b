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

/**
 * The notes that the service writes on what happens to an issue or merge request
 * (docs/reference/notes.md#system-notes).
 */
@Injectable()
export class SystemNotes {
  constructor(private readonly database: Database) {}

  /** Writes a note in the caller's unit of work. They raise no todo, no event and no hook. */
  async write(target: NoteTarget, authorId: number, body: string): Promise<void> {
    await this.insert([{ target, body }], authorId);
  }

  /**
   * Writes notes that tell of a mention, with one statement.
   * @returns whom they were written for: a second one for the same pair is not
   */
  async tellOf(
    origin: NoteOrigin,
    authorId: number,
    notes: readonly { target: NoteTarget; body: string }[],
  ): Promise<Pick<Issuable, 'type' | 'id'>[]> {
    return notes.length === 0 ? [] : this.insert(notes, authorId, origin);
  }

  private insert(
    notes: readonly { target: NoteTarget; body: string }[],
    authorId: number,
    origin?: NoteOrigin,
  ): Promise<Pick<Issuable, 'type' | 'id'>[]> {
    const isCommit = origin?.type === 'Commit';
    return this.database.rows(INSERT, [
      notes.map(({ target }) => target.projectId),
      notes.map(({ target }) => target.type),
      notes.map(({ target }) => target.id),
      notes.map(({ body }) => body),
      ...[authorId, origin?.type ?? null, origin?.projectId ?? null],
      ...[isCommit ? null : (origin?.id ?? null), isCommit ? origin.id : null],
    ]);
  }
}

type NoteTarget = Pick<Issuable, 'type' | 'id' | 'projectId'>;

const INSERT = `
  INSERT INTO notes (project_id, noteable_type, noteable_id, body, author_id, system,
                     origin_type, origin_project_id, origin_id, origin_sha)
  SELECT project_id, type, id, body, $5, true, $6, $7, $8, $9
    FROM unnest($1::int[], $2::text[], $3::int[], $4::text[]) AS note (project_id, type, id, body)
  ON CONFLICT DO NOTHING
  RETURNING noteable_type AS type, noteable_id AS id`;
