import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';
import type { Issuable, IssuableType } from '../kinds/issuable.js';

/** The kind of object that a cross-reference comes from. */
export type OriginType = IssuableType | 'Commit';

/** The object that mentions an issue or merge request. */
export interface NoteOrigin {
  readonly type: OriginType;
  readonly projectId: number;
  /** ID of an issue or merge request, hash of a commit. */
  readonly id: number | string;
}

/** Writes system notes on issues and merge requests (docs/reference/notes.md#system-notes). */
@Injectable()
export class SystemNotesRepository {
  constructor(private readonly database: Database) {}

  /** Writes a note in the caller's unit of work, without todo, event and hook. */
  async insert(target: NoteTarget, authorId: number, body: string): Promise<void> {
    await this.insertAll([{ target, body }], authorId);
  }

  /**
   * Writes cross-references with one statement, unless the target has one of this origin.
   * @returns the targets of the new notes
   */
  async insertCrossReferences(
    origin: NoteOrigin,
    authorId: number,
    notes: readonly { target: NoteTarget; body: string }[],
  ): Promise<Pick<Issuable, 'type' | 'id'>[]> {
    return notes.length === 0 ? [] : this.insertAll(notes, authorId, origin);
  }

  private insertAll(
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
