import { Injectable } from '@nestjs/common';
import { Database, rowsWhere } from '../../../platform/database/index.js';
import {
  memberGroupIds,
  namespaceByPath,
  showsGroup,
  type Subject,
  unexpired,
  visibleLevels,
} from '../../authorization/index.js';
import { ErasesAccountData, userByUsername } from '../../users/index.js';
import type { Issuable } from '../model/issuable.js';

/** The text of a mention: that of an issue or merge request, or a note on it. */
interface MentioningText {
  readonly target: Pick<Issuable, 'type' | 'id' | 'projectId'>;
  /** Null for title and description. */
  readonly noteId: number | null;
}

@Injectable()
export class MentionsRepository {
  constructor(private readonly database: Database) {}

  /** Returns the IDs of the users with these names. */
  async findUsers(names: readonly string[]): Promise<number[]> {
    const rows = await this.database.rows<{ id: number }>(USERS, [names]);
    return rows.map(({ id }) => id);
  }

  /** Returns the lowest IDs of the members of the groups with these names that the author sees. */
  async findGroupMembers(
    names: readonly string[],
    author: NonNullable<Subject>,
    limit: number,
  ): Promise<number[]> {
    const rows = await this.database.rows<{ id: number }>(GROUP_MEMBERS, [
      names,
      author.id,
      visibleLevels(author),
      author.admin,
      limit,
    ]);
    return rows.map(({ id }) => id);
  }

  async add({ target, noteId }: MentioningText, userIds: readonly number[]): Promise<void> {
    const users = [...userIds].sort((a, b) => a - b);
    await this.database.rows(
      `INSERT INTO mentions (project_id, target_type, target_id, note_id, user_id)
       SELECT $1, $2, $3, $4, user_id FROM unnest($5::int[]) AS mentioned (user_id)
       ON CONFLICT DO NOTHING`,
      [target.projectId, target.type, target.id, noteId, users],
    );
  }

  /** Removes the mentions of users that a text no longer mentions. */
  async removeOthers(
    { target, noteId }: MentioningText,
    userIds: readonly number[],
  ): Promise<void> {
    await this.database.rows(
      `DELETE FROM mentions
        WHERE target_type = $1 AND target_id = $2 AND note_id IS NOT DISTINCT FROM $3::int
          AND user_id <> ALL($4::int[])`,
      [target.type, target.id, noteId, userIds],
    );
  }

  /** Finds the merge requests with a cross-reference to a target: the newest ones, the newest first. */
  findMentioningRequests(
    { type, id }: Pick<Issuable, 'type' | 'id'>,
    limit: number,
  ): Promise<Pick<Issuable, 'id' | 'projectId'>[]> {
    return this.database.rows(MENTIONING_REQUESTS, [type, id, limit]);
  }

  /** Copies the mentions of an issue or merge request and of its notes. */
  async copy(
    from: Pick<Issuable, 'type' | 'id'>,
    to: Pick<Issuable, 'id' | 'projectId'>,
    notes: readonly { from: number; to: number }[],
  ): Promise<void> {
    const [original, copy] = [notes.map((note) => note.from), notes.map((note) => note.to)];
    await this.database.rows(COPY, [from.type, from.id, to.projectId, to.id, original, copy]);
  }

  /**
   * Removes some mentions of a deleted account.
   * @returns whether there may be more
   */
  @ErasesAccountData()
  async removeSomeOfUser(userId: number): Promise<boolean> {
    const gone = await this.database.rows(REMOVE_SOME, [userId]);
    return gone.length === CHUNK;
  }
}

const CHUNK = 1_000;

const USERS = `
  SELECT u.id
    FROM unnest($1::text[]) AS mentioned (username)
   CROSS JOIN ${userByUsername('mentioned.username')} u`;

const GROUP_MEMBERS = `
  SELECT DISTINCT m.user_id AS id
    FROM unnest($1::text[]) AS mentioned (path)
    JOIN ${namespaceByPath('mentioned.path')} n ON n.owner_id IS NULL
    JOIN ${rowsWhere('group_members', 'group_id = n.id')} m ON ${unexpired('m.expires_at')}
   WHERE $4::boolean OR n.id IN (${memberGroupIds('$2')}) OR ${showsGroup('n', '$2', '$3')}
   ORDER BY id LIMIT $5`;

const MENTIONING_REQUESTS = `
  SELECT origin_id AS id, origin_project_id AS "projectId" FROM notes
   WHERE noteable_type = $1 AND noteable_id = $2 AND origin_type = 'MergeRequest'
   ORDER BY origin_id DESC LIMIT $3`;

const COPY = `
  INSERT INTO mentions (project_id, target_type, target_id, note_id, user_id)
  SELECT $3, m.target_type, $4, copied.to_id, m.user_id
    FROM mentions m
    LEFT JOIN unnest($5::int[], $6::int[]) AS copied (from_id, to_id) ON copied.from_id = m.note_id
   WHERE m.target_type = $1 AND m.target_id = $2 AND (m.note_id IS NULL OR copied.to_id IS NOT NULL)
   ORDER BY m.user_id
  ON CONFLICT DO NOTHING`;

const REMOVE_SOME = `
  DELETE FROM mentions
   WHERE id IN (SELECT id FROM mentions WHERE user_id = $1 LIMIT ${String(CHUNK)})
  RETURNING id`;
