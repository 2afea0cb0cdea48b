import { Injectable } from '@nestjs/common';
import {
  Database,
  opaqueArray,
  opaqueValue,
  rowsByIds,
  rowsWhere,
} from '../../../platform/database/index.js';
import {
  countOfRows,
  Page,
  type PageRequest,
  type SizedRow,
  windowOf,
} from '../../../platform/pagination/index.js';
import type { Issuable } from '../model/issuable.js';
import { NOTES_PER_THREAD } from './discussion.js';
import { Note } from './note.entity.js';

type Noteable = Pick<Issuable, 'type' | 'id'>;

/** A discussion of a page. */
export interface ListedDiscussion extends SizedRow {
  /** Of the thread; null for a note that stands by itself, whose ID is `id`. */
  readonly discussionId: number | null;
}

/** Threads of notes, and their resolution. */
@Injectable()
export class DiscussionsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Lists the discussions on a target in the order of their oldest notes, with about the bytes that they are shown with, and counts them.
   * @param options.withoutReferences whether cross-references are left out and not counted
   */
  async page(
    { type, id }: Noteable,
    request: PageRequest,
    { withoutReferences }: { readonly withoutReferences: boolean },
  ): Promise<Page<ListedDiscussion>> {
    const { offset, limit } = windowOf(request);
    const from = headsOn(withoutReferences);
    const [selected] = await this.database.rows<SelectedDiscussions>(pageStatement(from), [
      type,
      id,
      limit,
      offset,
    ]);
    return Page.cut(selected?.rows ?? [], selected?.count ?? 0, request);
  }

  /** Finds the notes of some discussions, oldest first. */
  findNotesOf(discussions: readonly ListedDiscussion[]): Promise<Note[]> {
    const single = discussions.filter(({ discussionId }) => discussionId === null);
    return this.database.entities(
      Note,
      'n',
      `FROM (SELECT single.* FROM ${rowsByIds('notes', opaqueArray('$1', 'int'))} single
              UNION ALL
             SELECT r.* FROM unnest(${opaqueArray('$2', 'int')}) AS thread (id)
              CROSS JOIN ${rowsWhere('notes', 'discussion_id = thread.id')} r) n
        ORDER BY n.id`,
      [single.map(({ id }) => id), discussions.flatMap(({ discussionId }) => discussionId ?? [])],
    );
  }

  /** Finds the notes of a discussion on a target, oldest first; none if there is no such discussion. */
  findNotes({ type, id }: Noteable, discussionId: number): Promise<Note[]> {
    return this.database.entities(Note, 'n', NOTES_OF_DISCUSSION, [
      discussionId,
      type,
      id,
      NOTES_PER_THREAD,
    ]);
  }

  /** Returns the bytes of all texts of a thread. */
  async countBytes(discussionId: number): Promise<number> {
    const [row] = await this.database.rows<{ bytes: number }>(COUNT_BYTES, [discussionId]);
    return row?.bytes ?? 0;
  }

  /** Makes a thread of a note that stands by itself. */
  async begin(noteId: number): Promise<void> {
    await this.database.rows(BEGIN, [noteId]);
  }

  /**
   * Resolves the notes of a thread, or one of them, or has them be unresolved again. Call with the target locked.
   * @param resolverId null: they are unresolved again
   * @returns whether any was changed
   */
  async setResolved(
    discussionId: number,
    resolverId: number | null,
    noteId: number | null = null,
  ): Promise<boolean> {
    const changed = await this.database.rows(SET_RESOLVED, [discussionId, noteId, resolverId]);
    return changed.length > 0;
  }

  /**
   * Finds the oldest notes of users in the first unresolved threads of a merge request, oldest first, with the beginnings of
   * their texts.
   * @param discussionIds of threads; undefined: all
   */
  findUnresolvedThreads(
    mergeRequestId: number,
    discussionIds: readonly number[] | undefined,
    { threads, characters }: { readonly threads: number; readonly characters: number },
  ): Promise<Note[]> {
    return this.database.entities(Note, 'n', UNRESOLVED_THREADS, [
      mergeRequestId,
      discussionIds ?? null,
      threads,
      characters,
    ]);
  }

  /**
   * Resolves some threads of a locked merge request as far as they are unresolved.
   * @returns the IDs of the resolved threads
   */
  async resolveThreads(
    mergeRequestId: number,
    resolverId: number,
    discussionIds: readonly number[],
  ): Promise<number[]> {
    const rows = await this.database.rows<{ id: number }>(RESOLVE_THREADS, [
      mergeRequestId,
      discussionIds,
      resolverId,
    ]);
    return rows.map(({ id }) => id);
  }

  /** Writes a system note in each of some threads that are not full. */
  async addSystemReplies(
    discussionIds: readonly number[],
    authorId: number,
    body: string,
  ): Promise<void> {
    await this.database.rows(ADD_SYSTEM_REPLIES, [discussionIds, authorId, body, NOTES_PER_THREAD]);
  }

  async isUnresolved(mergeRequestId: number): Promise<boolean> {
    return (await this.findUnresolved([mergeRequestId])).has(mergeRequestId);
  }

  /** Returns which of some merge requests have an unresolved thread. */
  async findUnresolved(mergeRequestIds: readonly number[]): Promise<ReadonlySet<number>> {
    if (mergeRequestIds.length === 0) return new Set();
    const rows = await this.database.rows<{ id: number }>(FIND_UNRESOLVED, [mergeRequestIds]);
    return new Set(rows.map(({ id }) => id));
  }
}

/** The row of `pageStatement`; `rows` is null if the page is empty. */
interface SelectedDiscussions {
  readonly rows: ListedDiscussion[] | null;
  readonly count: number;
}

const headsOn = (withoutReferences: boolean): string => `
  FROM notes n
 WHERE noteable_type = ${opaqueValue('$1', 'varchar')} AND noteable_id = ${opaqueValue('$2', 'int')} AND NOT is_reply
       ${withoutReferences ? 'AND origin_type IS NULL' : ''}`;

/** About what a note is shown with: its text, other fields, and both its positions. */
const shownBytes = (note: string): string =>
  `octet_length(${note}.body) + 1000 + 2 * coalesce(octet_length(${note}.position::text), 0)`;

const TEXT_BYTES = `
  CASE WHEN n.discussion_id IS NULL THEN ${shownBytes('n')}
       ELSE (SELECT sum(${shownBytes('r')})::int FROM notes r WHERE r.discussion_id = n.discussion_id) END`;

const pageStatement = (from: string): string => `
  SELECT (SELECT json_agg(listed) FROM (
            SELECT n.id, n.discussion_id AS "discussionId", ${TEXT_BYTES} AS "textBytes"
              FROM (SELECT * ${from} ORDER BY id LIMIT $3 OFFSET $4) n
             ORDER BY n.id) listed) AS rows,
         (${countOfRows(`SELECT 1 ${from}`)}) AS count`;

const NOTES_OF_DISCUSSION = `
    FROM (SELECT * FROM notes WHERE discussion_id = $1
           UNION ALL
          SELECT * FROM notes WHERE id = $1 AND discussion_id IS NULL) n
   WHERE n.noteable_type = $2 AND n.noteable_id = $3
   ORDER BY n.id LIMIT $4`;

const COUNT_BYTES = `
  SELECT coalesce(sum(octet_length(r.body)), 0)::int AS bytes
    FROM unnest(ARRAY[$1::int]) AS thread (id)
   CROSS JOIN ${rowsWhere('notes', 'discussion_id = thread.id')} r`;

const BEGIN = `
  UPDATE notes SET type = 'DiscussionNote', discussion_id = id WHERE id = $1`;

const SET_RESOLVED = `
  UPDATE notes SET resolved_by_id = $3, resolved_at = CASE WHEN $3::int IS NOT NULL THEN now() END
   WHERE id IN (SELECT r.id FROM unnest(ARRAY[$1::int]) AS thread (id)
                 CROSS JOIN ${rowsWhere('notes', 'discussion_id = thread.id')} r
                 WHERE ($2::int IS NULL OR r.id = $2) AND NOT r.system
                   AND (r.resolved_at IS NULL) = ($3::int IS NOT NULL))
  RETURNING id`;

const FIND_UNRESOLVED = `
  SELECT given.id FROM unnest(${opaqueArray('$1', 'int')}) AS given (id)
   CROSS JOIN LATERAL (SELECT 1 FROM notes n
                        WHERE n.noteable_type = 'MergeRequest' AND n.noteable_id = given.id
                          AND n.discussion_id IS NOT NULL AND n.resolved_at IS NULL AND NOT n.system
                        LIMIT 1) unresolved`;

const unresolvedOn = (notes: string): string => `
  ${notes}.noteable_type = 'MergeRequest' AND ${notes}.noteable_id = $1
  AND ${notes}.discussion_id IS NOT NULL AND ${notes}.resolved_at IS NULL AND NOT ${notes}.system
  AND ($2::int[] IS NULL OR ${notes}.discussion_id = ANY($2::int[]))`;

const UNRESOLVED_THREADS = `
  FROM (SELECT DISTINCT discussion_id FROM notes r WHERE ${unresolvedOn('r')}
         ORDER BY discussion_id LIMIT $3) thread
  CROSS JOIN LATERAL (SELECT m AS note FROM notes m
                       WHERE m.discussion_id = thread.discussion_id AND NOT m.system
                       ORDER BY m.id LIMIT 1) oldest
  CROSS JOIN jsonb_populate_record(oldest.note, jsonb_build_object('body', left((oldest.note).body, $4))) n
 ORDER BY n.id`;

const RESOLVE_THREADS = `
  WITH resolved AS (
    UPDATE notes r SET resolved_by_id = $3, resolved_at = now() WHERE ${unresolvedOn('r')}
    RETURNING discussion_id)
  SELECT DISTINCT discussion_id AS id FROM resolved ORDER BY 1`;

const ADD_SYSTEM_REPLIES = `
  INSERT INTO notes (project_id, noteable_type, noteable_id, author_id, body, system,
                     type, discussion_id, is_reply, position, original_position, outdated)
  SELECT n.project_id, n.noteable_type, n.noteable_id, $2, $3, true,
         n.type, n.discussion_id, true, n.position, n.original_position, n.outdated
    FROM notes n
   WHERE n.discussion_id = ANY($1::int[]) AND NOT n.is_reply
     AND (SELECT count(*) FROM notes r WHERE r.discussion_id = n.discussion_id) < $4::int
   ORDER BY n.discussion_id`;
