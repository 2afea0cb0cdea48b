import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Database } from '../../../platform/database/index.js';
import { type Page, pageOfQuery, type PageRequest } from '../../../platform/http/index.js';
import type { Issuable } from '../issuable.js';
import { Note } from './note.entity.js';

/** What notes belong to. */
export type Noteable = Pick<Issuable, 'type' | 'id'>;

export interface NewNote {
  authorId: number;
  body: string;
  /** Undefined: now. */
  createdAt?: Date | undefined;
}

/** What becomes of a note in the issue that its own is moved to. */
export interface CopiedNote {
  from: number;
  to: number;
}

@Injectable()
export class NotesRepository {
  constructor(private readonly database: Database) {}

  async insert(
    { type, id, projectId }: Pick<Issuable, 'type' | 'id' | 'projectId'>,
    { authorId, body, createdAt }: NewNote,
  ): Promise<Note> {
    const notes = this.database.of(Note);
    const { identifiers } = await notes.insert({
      ...{ projectId, noteableType: type, noteableId: id, authorId, body },
      ...(createdAt === undefined ? {} : { createdAt, updatedAt: createdAt }),
    });
    return notes.findOneByOrFail({ id: (identifiers[0] as { id: number }).id });
  }

  /** The oldest first. */
  page({ type, id }: Noteable, request: PageRequest): Promise<Page<Note>> {
    const query = this.database
      .of(Note)
      .createQueryBuilder('note')
      .where('note.noteable_type = :type AND note.noteable_id = :id', { type, id })
      .orderBy('note.id');
    return pageOfQuery(this.database, query, request);
  }

  findIn({ type, id }: Noteable, noteId: number): Promise<Note | null> {
    return this.database.of(Note).findOneBy({ id: noteId, noteableType: type, noteableId: id });
  }

  findByIds(ids: readonly number[]): Promise<Note[]> {
    return this.database.of(Note).findBy({ id: In([...ids]) });
  }

  /** Null for a note that is gone. */
  async rewrite(id: number, body: string): Promise<Note | null> {
    const rows = await this.database.rows(
      'UPDATE notes SET body = $2, updated_at = now() WHERE id = $1 RETURNING id',
      [id, body],
    );
    return rows.length === 0 ? null : this.database.of(Note).findOneBy({ id });
  }

  /** Nobody deletes a note until the caller's unit of work is over; false when it is gone. */
  async hold(id: number): Promise<boolean> {
    const rows = await this.database.rows('SELECT 1 FROM notes WHERE id = $1 FOR KEY SHARE', [id]);
    return rows.length > 0;
  }

  /**
   * Removes a note with its awards and its events, in the caller's unit of work.
   * @returns false when it was gone already
   */
  async remove(id: number, eventTarget: string): Promise<boolean> {
    const { affected } = await this.database.of(Note).delete({ id });
    if (affected === 0) return false;
    // A statement of its own, which sees the awards that the first one has waited for.
    await this.database.rows(REMOVE_TRACES, [id, eventTarget]);
    return true;
  }

  /**
   * Copies all notes of one issue or merge request to another one, in their order, with authors and
   * times; what they tell of mentions stays with the pairs it was told of.
   * @param change what becomes of a body
   */
  async copy(
    from: Noteable,
    to: Pick<Issuable, 'type' | 'id' | 'projectId'>,
    change: (body: string) => string,
  ): Promise<CopiedNote[]> {
    const copied: CopiedNote[] = [];
    for (let last = 0; ;) {
      const notes = await this.chunk(from, last);
      copied.push(...(await this.insertCopies(notes, to, change)));
      if (notes.length < CHUNK) return copied;
      last = notes.at(-1)?.id ?? last;
    }
  }

  /** Attributes some of an account's notes to another one and answers how many. */
  async handOver(userId: number, heirId: number, limit: number): Promise<number> {
    const rows = await this.database.rows(
      `UPDATE notes SET author_id = $2 WHERE id IN (
         SELECT id FROM notes WHERE author_id = $1 ORDER BY id LIMIT $3)
       RETURNING id`,
      [userId, heirId, limit],
    );
    return rows.length;
  }

  private chunk({ type, id }: Noteable, after: number): Promise<Note[]> {
    return this.database
      .of(Note)
      .createQueryBuilder('note')
      .where('note.noteable_type = :type AND note.noteable_id = :id', { type, id })
      .andWhere('note.id > :after', { after })
      .orderBy('note.id')
      .limit(CHUNK)
      .getMany();
  }

  private async insertCopies(
    notes: readonly Note[],
    { type, id, projectId }: Pick<Issuable, 'type' | 'id' | 'projectId'>,
    change: (body: string) => string,
  ): Promise<CopiedNote[]> {
    if (notes.length === 0) return [];
    const ids = notes.map((note) => note.id);
    const bodies = notes.map(({ body }) => change(body));
    return this.database.rows(COPY, [ids, bodies, projectId, type, id]);
  }
}

const CHUNK = 500;

const REMOVE_TRACES = `
  WITH awards AS (
    DELETE FROM award_emoji WHERE awardable_type = 'Note' AND awardable_id = $1
  )
  DELETE FROM events WHERE target_type = $2 AND target_id = $1`;

// Numbers are drawn in the order of the rows, so that the copies keep it and can be told apart.
const COPY = `
  WITH source AS (
    SELECT n.*, given.body AS changed, nextval(pg_get_serial_sequence('notes', 'id')) AS copy_id
      FROM (SELECT * FROM unnest($1::int[], $2::text[]) AS given (id, body) ORDER BY id) given
      JOIN LATERAL (SELECT * FROM notes WHERE notes.id = given.id) n ON true
  ), copied AS (
    INSERT INTO notes (id, project_id, noteable_type, noteable_id, author_id, body, system,
                       origin_type, origin_project_id, origin_id, origin_sha, created_at, updated_at)
    SELECT copy_id, $3, $4, $5, author_id, changed, system,
           origin_type, origin_project_id, origin_id, origin_sha, created_at, updated_at
      FROM source)
  SELECT id AS "from", copy_id::int AS "to" FROM source`;
