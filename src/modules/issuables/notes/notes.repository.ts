import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import {
  Database,
  type EntityColumns,
  notDeleted,
  opaqueValue,
  SharedReads,
  rowsWhere,
  holdUnmodified,
} from '../../../platform/database/index.js';
import { MIB } from '../../../platform/limits/index.js';
import {
  countOfRows,
  firstTexts,
  Page,
  type PageRequest,
  plainRequest,
  type SizedRow,
  windowOf,
} from '../../../platform/pagination/index.js';
import { VISIBILITY_LEVEL } from '../../authorization/index.js';
import {
  authorsById,
  ErasesAccountData,
  type SummarizedUser,
  SUMMARY_COLUMNS,
  User,
} from '../../users/index.js';
import { ISSUABLE_TABLES, type Issuable, type IssuableType } from '../model/issuable.js';
import type { BegunThread } from './discussion.js';
import { Note, type OriginType } from './note.entity.js';

/** Rows that one step of erasing an account changes. */
const ERASED_AT_ONCE = 1_000;

/** The issue or merge request that notes belong to. */
type Noteable = Pick<Issuable, 'type' | 'id'>;

type NoteTarget = Pick<Issuable, 'type' | 'id' | 'projectId'>;

/** The object that mentions an issue or merge request. */
interface NoteOrigin {
  readonly type: OriginType;
  readonly projectId: number;
  /** ID of an issue or merge request, hash of a commit. */
  readonly id: number | string;
}

interface NewNote {
  authorId: number;
  body: string;
  /** Undefined: now. */
  createdAt?: Date | undefined;
  /** Undefined: it stands by itself. */
  thread?: ThreadOfNote | undefined;
}

/** The thread that a new note begins or replies to. */
export interface ThreadOfNote extends BegunThread {
  /** The ID of its first note; null for a new thread. */
  readonly discussionId: number | null;
  /** The user whose resolution the reply shares; null if the thread is not resolved. */
  readonly resolvedById: number | null;
}

/** A note of another server. */
export type ImportedNote = Pick<Note, 'authorId' | 'body' | 'system' | 'createdAt' | 'updatedAt'>;

/** The IDs of a note and of its copy. */
interface CopiedNote {
  from: number;
  to: number;
}

/** A note with its author. */
export interface AuthoredNote {
  note: Note;
  /** The ghost account if the author was deleted. */
  author: SummarizedUser;
  /** Null unless it is resolved. */
  resolver: SummarizedUser | null;
}

/** A note of a page; null if its text is to be loaded later. */
interface ListedNote extends SizedRow {
  readonly authored: AuthoredNote | null;
}

/** The order of a list of notes; at equal times by ID in the same direction. */
export interface NoteOrder {
  readonly by: 'id' | 'created_at' | 'updated_at';
  readonly direction: 'asc' | 'desc';
}

const OLDEST_FIRST: NoteOrder = { by: 'id', direction: 'asc' };

/** The notes of a list. */
export interface NotesRequest {
  /** The oldest first if absent. */
  readonly order?: NoteOrder | undefined;
  /** Only those that users wrote, or only system notes. */
  readonly system?: boolean | undefined;
  /** Whether cross-references are left out and not counted, whatever they come from. */
  readonly withoutReferences?: boolean | undefined;
}

interface PageQuestion extends Pick<NotesRequest, 'system' | 'withoutReferences'> {
  readonly target: Noteable;
  readonly order: NoteOrder;
  readonly request: PageRequest;
}

@Injectable()
export class NotesRepository {
  private readonly pages = new SharedReads<PageQuestion, Page<ListedNote>>({
    key: (question) => JSON.stringify(question),
    answer: (question) => this.selectPage(question),
  });

  private known: NoteColumns | undefined;
  private readonly insertOn: Readonly<Record<IssuableType, string>>;

  constructor(private readonly database: Database) {
    const columns = database.columns(Note);
    this.insertOn = {
      Issue: insertStatement('Issue', columns),
      MergeRequest: insertStatement('MergeRequest', columns),
    };
  }

  /**
   * Inserts a note, and sets `updated_at` of its target to now, which locks the target until the unit of work ends.
   * @returns null if the target is deleted
   */
  async insert(
    { type, id, projectId }: NoteTarget,
    { authorId, body, createdAt, thread }: NewNote,
  ): Promise<Note | null> {
    const { originalPosition = null, position = null, outdated = false } = thread ?? {};
    const [row] = await this.database.rows<Note>(this.insertOn[type], [
      ...[projectId, type, id, authorId, body, createdAt ?? null],
      ...[thread?.type ?? null, thread?.discussionId ?? null, thread?.resolvedById ?? null],
      ...[position && JSON.stringify(position)],
      ...[originalPosition && JSON.stringify(originalPosition), outdated],
    ]);
    return row ?? null;
  }

  /**
   * Writes a system note (docs/reference/notes.md#system-notes) in the caller's unit of work, without todo, event and
   * hook.
   */
  async insertSystemNote(target: NoteTarget, authorId: number, body: string): Promise<void> {
    await this.insertSystemNotes([{ target, body }], authorId);
  }

  /** Returns the targets that a commit, pushed to a project, need not mention any more. */
  findMentionedBy(
    sha: string,
    projectId: number,
    targets: readonly NoteTarget[],
  ): Promise<Noteable[]> {
    return this.database.rows(MENTIONED_BY, [
      targets.map((target) => target.projectId),
      targets.map(({ type }) => type),
      targets.map(({ id }) => id),
      projectId,
      sha,
    ]);
  }

  /** Finds the cross-references from commits on a target, the oldest first. */
  findCommitMentions(
    { type, id }: Noteable,
    shas: readonly string[],
  ): Promise<Pick<Note, 'id' | 'originProjectId' | 'originSha'>[]> {
    return this.database.rows(COMMIT_MENTIONS, [type, id, shas]);
  }

  /**
   * Writes cross-references with one statement, unless the target has one of this origin. A commit is the same in all
   * projects: its targets have to be locked.
   * @returns the targets of the new notes
   */
  async insertCrossReferences(
    origin: NoteOrigin,
    authorId: number,
    notes: readonly { target: NoteTarget; body: string }[],
  ): Promise<Pick<Issuable, 'type' | 'id'>[]> {
    return notes.length === 0 ? [] : this.insertSystemNotes(notes, authorId, origin);
  }

  /**
   * Inserts notes of another server in their order, with their times, without todos, mentions and events. The times of
   * the target stay as they are.
   */
  async insertImported(
    { type, id, projectId }: NoteTarget,
    notes: readonly ImportedNote[],
  ): Promise<void> {
    await this.database.rows(INSERT_IMPORTED, [
      projectId,
      type,
      id,
      notes.map(({ authorId }) => authorId),
      notes.map(({ body }) => body),
      notes.map(({ system }) => system),
      notes.map(({ createdAt }) => createdAt.toISOString()),
      notes.map(({ updatedAt }) => updatedAt.toISOString()),
    ]);
  }

  /** Concurrent requests for the same page share its statement. */
  page(
    { type, id }: Noteable,
    request: PageRequest,
    { order = OLDEST_FIRST, ...chosen }: NotesRequest = {},
  ): Promise<Page<ListedNote>> {
    const question = { target: { type, id }, request: plainRequest(request), order, ...chosen };
    return this.pages.ask(question);
  }

  findIn({ type, id }: Noteable, noteId: number): Promise<Note | null> {
    return this.database.of(Note).findOneBy({ id: noteId, noteableType: type, noteableId: id });
  }

  /** Counts the notes of a project, system notes too. */
  async countIn(projectId: number): Promise<number> {
    const statement = 'SELECT count(*)::int AS count FROM notes WHERE project_id = $1';
    const [row] = await this.database.rows<{ count: number }>(statement, [projectId]);
    return row?.count ?? 0;
  }

  /** Finds notes, the oldest first, without deleted ones. */
  findByIds(ids: readonly number[]): Promise<Note[]> {
    return this.database.of(Note).find({ where: { id: In([...ids]) }, order: { id: 'ASC' } });
  }

  /** Returns the bytes of text of notes, by ID. */
  async sizesOf(ids: readonly number[]): Promise<ReadonlyMap<number, number>> {
    const rows = await this.database.rows<SizedRow>(
      'SELECT id, octet_length(body) AS "textBytes" FROM notes WHERE id = ANY($1::int[])',
      [ids],
    );
    return new Map(rows.map(({ id, textBytes }) => [id, textBytes]));
  }

  /** Changes the body of a note. @returns null if it is deleted */
  async rewrite(id: number, body: string): Promise<Note | null> {
    const rows = await this.database.rows(REWRITE, [id, body]);
    return rows.length === 0 ? null : this.database.of(Note).findOneBy({ id });
  }

  /**
   * Removes a note with its awards and its events, in the caller's unit of work.
   * @returns false if it is deleted already
   */
  async remove(id: number, eventTarget: string): Promise<boolean> {
    const row = { table: 'notes', column: 'updated_at', where: 'id = $1' } as const;
    await holdUnmodified(this.database, row, [id]);
    const { affected } = await this.database.of(Note).delete({ id });
    if (affected === 0) return false;
    // A second statement sees the awards that the first one has waited for.
    await this.database.rows(REMOVE_DEPENDENT_ROWS, [id, eventTarget]);
    return true;
  }

  /**
   * Copies all notes of an issue or merge request to another one, in their order, with authors, times and origins, in
   * chunks.
   * @param change rewrites a body
   */
  async copy(
    from: Noteable,
    to: NoteTarget,
    change: (body: string) => Promise<string>,
  ): Promise<CopiedNote[]> {
    const copied: CopiedNote[] = [];
    for (let last = 0; ;) {
      const notes = await this.chunk(from, last);
      const newest = notes.at(-1);
      if (newest === undefined) {
        await this.database.rows(COPY_THREADS, [
          copied.map((note) => note.from),
          copied.map((note) => note.to),
        ]);
        return copied;
      }
      const bodies: string[] = [];
      for (const { body } of notes) bodies.push(await change(body));
      copied.push(...(await this.insertCopies(notes, bodies, to)));
      last = newest.id;
    }
  }

  /** Counts the notes of a target and their bytes. @param limit of the notes that are counted */
  async sizeOf(
    { type, id }: Noteable,
    limit: number,
  ): Promise<{ readonly notes: number; readonly bytes: number }> {
    const [row] = await this.database.rows<{ notes: number; bytes: number }>(SIZE, [
      type,
      id,
      limit,
    ]);
    return row ?? { notes: 0, bytes: 0 };
  }

  /** Attributes some resolutions of a deleted account to the ghost account. @returns whether there may be more */
  @ErasesAccountData()
  async handOverResolutions(userId: number, ghostId: number): Promise<boolean> {
    const rows = await this.database.rows(
      `UPDATE notes SET resolved_by_id = $2 WHERE id IN (
         SELECT id FROM notes WHERE resolved_by_id = $1 LIMIT $3)
       RETURNING id`,
      [userId, ghostId, ERASED_AT_ONCE],
    );
    return rows.length === ERASED_AT_ONCE;
  }

  /** Attributes some notes of a deleted account to the ghost account. @returns whether there may be more */
  @ErasesAccountData()
  async handOver(userId: number, ghostId: number): Promise<boolean> {
    const rows = await this.database.rows(
      `UPDATE notes SET author_id = $2 WHERE id IN (
         SELECT id FROM notes WHERE author_id = $1 ORDER BY id LIMIT $3)
       RETURNING id`,
      [userId, ghostId, ERASED_AT_ONCE],
    );
    return rows.length === ERASED_AT_ONCE;
  }

  private async selectPage(question: PageQuestion): Promise<Page<ListedNote>> {
    const { target, request } = question;
    const columns = this.columns();
    const { offset, limit } = windowOf(request);
    const [selected] = await this.database.rows<SelectedPage>(pageStatement(columns, question), [
      target.type,
      target.id,
      limit,
      offset,
    ]);
    const people = new Map(selected?.people?.map((user) => [user.id, user]));
    const ghost = selected?.people?.find((user) => user.ghost);
    const notes = selected?.rows?.map(({ textBytes, body, ...note }) => {
      const listed = { id: note.id, textBytes };
      if (body === null) return { ...listed, authored: null };
      const author = people.get(note.authorId) ?? ghost;
      if (author === undefined) throw new Error(`Note ${String(note.id)} has no author`);
      const resolver =
        note.resolvedById === null ? null : (people.get(note.resolvedById) ?? ghost ?? null);
      const shown = columns.notes.revive({ ...note, body });
      return { ...listed, authored: { note: shown, author, resolver } };
    });
    return Page.cut(notes ?? [], selected?.count ?? 0, request);
  }

  private columns(): NoteColumns {
    this.known ??= {
      notes: this.database.columns(Note),
      people: this.database.columns(User).only(SUMMARY_COLUMNS),
    };
    return this.known;
  }

  private insertSystemNotes(
    notes: readonly { target: NoteTarget; body: string }[],
    authorId: number,
    origin?: NoteOrigin,
  ): Promise<Pick<Issuable, 'type' | 'id'>[]> {
    const isCommit = origin?.type === 'Commit';
    return this.database.rows(INSERT_SYSTEM_NOTES, [
      notes.map(({ target }) => target.projectId),
      notes.map(({ target }) => target.type),
      notes.map(({ target }) => target.id),
      notes.map(({ body }) => body),
      authorId,
      origin?.type ?? null,
      origin?.projectId ?? null,
      isCommit ? null : (origin?.id ?? null),
      isCommit ? origin.id : null,
    ]);
  }

  private chunk({ type, id }: Noteable, after: number): Promise<MovingNote[]> {
    return this.database.rows(CHUNK, [type, id, after]);
  }

  private async insertCopies(
    notes: readonly MovingNote[],
    bodies: readonly string[],
    { type, id, projectId }: NoteTarget,
  ): Promise<CopiedNote[]> {
    const ids = notes.map((note) => note.id);
    return this.database.rows(COPY, [ids, bodies, projectId, type, id]);
  }
}

interface NoteColumns {
  readonly notes: EntityColumns<Note>;
  readonly people: EntityColumns<SummarizedUser>;
}

/** The row of `pageStatement`; lists are null if they are empty. */
interface SelectedPage {
  rows: (Omit<Note, 'body'> & { body: string | null; textBytes: number })[] | null;
  /** The authors and resolvers, and the ghost account. */
  people: SummarizedUser[] | null;
  count: number;
}

/** Selects one row: a page of notes with their authors as JSON, the texts of the first ones only, and their number. */
const pageStatement = ({ notes, people }: NoteColumns, question: PageQuestion): string => {
  const from = notesOnTarget(question);
  const ordered = inOrder(question.order, 'n');
  return `
  WITH listed AS MATERIALIZED (
    SELECT ${notes.without('body').list('n')}, ${firstTexts('n.body', ordered)} AS body,
           octet_length(n.body) AS "textBytes"
      FROM (SELECT * ${from} ORDER BY ${inOrder(question.order, 'notes')} LIMIT $3 OFFSET $4) n
     ORDER BY ${ordered})
  SELECT (SELECT json_agg(listed) FROM listed) AS rows,
         (SELECT json_agg(person) FROM (
            SELECT ${people.list('u')}
              FROM ${authorsById(PEOPLE_OF_PAGE)} u) person) AS people,
         (${countOfRows(`SELECT 1 ${from}`)}) AS count`;
};

const PEOPLE_OF_PAGE = `ARRAY(SELECT "authorId" FROM listed
  UNION SELECT "resolvedById" FROM listed WHERE "resolvedById" IS NOT NULL)`;

const inOrder = ({ by, direction }: NoteOrder, notes: string): string =>
  [...(by === 'id' ? [] : [by]), 'id']
    .map((column) => `${notes}.${column} ${direction}`)
    .join(', ');

const notesOnTarget = ({ system, withoutReferences = false }: PageQuestion): string => `
  FROM notes WHERE noteable_type = ${opaqueValue('$1', 'varchar')} AND noteable_id = ${opaqueValue('$2', 'int')}
  ${system === undefined ? '' : `AND ${system ? '' : 'NOT '}system`}
  ${withoutReferences ? 'AND origin_type IS NULL' : ''}`;

type MovingNote = Pick<Note, 'id' | 'body'>;

const insertStatement = (type: IssuableType, columns: EntityColumns<Note>): string => `
  WITH target AS (
    UPDATE ${ISSUABLE_TABLES[type]} SET updated_at = now()
     WHERE id = $3 AND ${notDeleted()}
    RETURNING id, nextval(pg_get_serial_sequence('notes', 'id'))::int AS note_id)
  INSERT INTO notes AS n (id, project_id, noteable_type, noteable_id, author_id, body, created_at, updated_at,
                          type, discussion_id, is_reply, resolved_by_id, resolved_at,
                          position, original_position, outdated)
  SELECT note_id, $1::int, $2, id, $4::int, $5, coalesce($6::timestamptz, now()), coalesce($6::timestamptz, now()),
         $7::varchar, CASE WHEN $7 IS NOT NULL THEN coalesce($8::int, note_id) END, $8 IS NOT NULL,
         $9::int, CASE WHEN $9 IS NOT NULL THEN now() END, $10::jsonb, $11::jsonb, $12::boolean
    FROM target
  RETURNING ${columns.list('n')}`;

const REWRITE = `
  UPDATE notes SET body = $2, updated_at = now() WHERE id = $1 RETURNING id`;

/** The next notes of a target: 500 at most, and no more than 4 MiB of text unless one is longer. */
const CHUNK = `
  SELECT id, body
    FROM (SELECT id, body, sum(octet_length(body)) OVER (ORDER BY id) - octet_length(body) AS before
            FROM (SELECT id, body FROM notes
                   WHERE noteable_type = $1 AND noteable_id = $2 AND id > $3
                   ORDER BY id LIMIT 500) AS next) AS measured
   WHERE before < ${String(4 * MIB)}
   ORDER BY id`;

const SIZE = `
  SELECT count(*)::int AS notes, coalesce(sum(octet_length(body)), 0)::float8 AS bytes
    FROM (SELECT body FROM notes WHERE noteable_type = $1 AND noteable_id = $2 LIMIT $3) AS counted`;

const REMOVE_DEPENDENT_ROWS = `
  WITH awards AS (
    DELETE FROM award_emoji WHERE awardable_type = 'Note' AND awardable_id = $1
  )
  DELETE FROM events WHERE target_type = $2 AND target_id = $1`;

// IDs are drawn in the order of the rows, so that the copies keep it.
const COPY = `
  WITH source AS (
    SELECT n.*, given.body AS changed, nextval(pg_get_serial_sequence('notes', 'id')) AS copy_id
      FROM (SELECT * FROM unnest($1::int[], $2::text[]) AS given (id, body) ORDER BY id) given
      JOIN LATERAL (SELECT * FROM notes WHERE notes.id = given.id) n ON true
  ), copied AS (
    INSERT INTO notes (id, project_id, noteable_type, noteable_id, author_id, body, system,
                       origin_type, origin_project_id, origin_id, origin_sha, created_at, updated_at,
                       type, is_reply)
    SELECT copy_id, $3, $4, $5, author_id, changed, system,
           origin_type, origin_project_id, origin_id, origin_sha, created_at, updated_at,
           type, is_reply
      FROM source)
  SELECT id AS "from", copy_id::int AS "to" FROM source`;

/** Has copies of threads begin with the copies of their oldest notes. */
const COPY_THREADS = `
  UPDATE notes SET discussion_id = thread.head_id
    FROM (SELECT copied.to_id, min(copied.to_id) OVER (PARTITION BY n.discussion_id) AS head_id
            FROM unnest($1::int[], $2::int[]) AS copied (from_id, to_id)
            JOIN notes n ON n.id = copied.from_id
           WHERE n.discussion_id IS NOT NULL) thread
   WHERE notes.id = thread.to_id`;

/**
 * Whether a target of `given` needs no cross-reference from a commit that was pushed to a project: it has the one from there, or
 * another one that its readers see, from its own project or a public one. A push to its own project relies on no other, which
 * can become private or be deleted.
 */
const commitMentions = (sha: string): string => `
  noteable_type = given.type AND noteable_id = given.id AND origin_type = 'Commit' AND origin_sha = ${sha}`;

const isMentionedBy = (sha: string, projectId: string): string => `
  EXISTS (SELECT 1 FROM ${rowsWhere('notes', commitMentions(sha))} n
           WHERE (n.origin_project_id = ${projectId}
                  OR (given.project_id <> ${projectId}
                      AND (n.origin_project_id = given.project_id
                           OR EXISTS (SELECT 1 FROM projects p
                                       WHERE p.id = n.origin_project_id AND ${notDeleted('p')}
                                         AND p.visibility_level = ${String(VISIBILITY_LEVEL.public)})))))`;

const MENTIONED_BY = `
  SELECT type, id FROM unnest($1::int[], $2::text[], $3::int[]) AS given (project_id, type, id)
   WHERE ${isMentionedBy('$5', '$4')}`;

const COMMIT_MENTIONS = `
  SELECT id, origin_project_id AS "originProjectId", origin_sha AS "originSha"
    FROM notes
   WHERE noteable_type = $1 AND noteable_id = $2 AND origin_type = 'Commit' AND origin_sha = ANY($3::text[])
   ORDER BY id`;

const INSERT_SYSTEM_NOTES = `
  INSERT INTO notes (project_id, noteable_type, noteable_id, body, author_id, system,
                     origin_type, origin_project_id, origin_id, origin_sha)
  SELECT project_id, type, id, body, $5, true, $6, $7, $8, $9::varchar
    FROM unnest($1::int[], $2::text[], $3::int[], $4::text[]) AS given (project_id, type, id, body)
   WHERE NOT ${isMentionedBy('$9::varchar', '$7')}
  ON CONFLICT DO NOTHING
  RETURNING noteable_type AS type, noteable_id AS id`;

const INSERT_IMPORTED = `
  INSERT INTO notes (project_id, noteable_type, noteable_id, author_id, body, system, created_at,
                     updated_at)
  SELECT $1::int, $2::varchar, $3::int, author_id, body, system, created_at, updated_at
    FROM unnest($4::int[], $5::text[], $6::boolean[], $7::timestamptz[], $8::timestamptz[])
         WITH ORDINALITY AS note (author_id, body, system, created_at, updated_at, position)
   ORDER BY position`;
