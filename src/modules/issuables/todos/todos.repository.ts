import { Injectable } from '@nestjs/common';
import { Database, opaqueArray, rowById, rowsWhere } from '../../../platform/database/index.js';
import {
  COUNTED_ITEMS,
  Page,
  type PageRequest,
  windowOf,
} from '../../../platform/pagination/index.js';
import {
  type AccessEnded,
  Level,
  existingProject,
  levelById,
  levelOnProject,
  VISIBILITY_LEVEL,
  visibleLevels,
} from '../../authorization/index.js';
import { ErasesAccountData, type User } from '../../users/index.js';
import type { Issuable, IssuableType } from '../model/issuable.js';
import { IssuableKinds } from '../model/issuable-kinds.js';
import { Todo, type TodoAction, type TodoState } from './todo.entity.js';

export interface TodoFilter {
  state: TodoState;
  /** One of them. */
  actions?: readonly TodoAction[] | undefined;
  authorId?: number | undefined;
  projectId?: number | undefined;
  type?: IssuableType | undefined;
}

export interface ListedTodo extends Todo {
  /** Bytes of the note that caused it, of its target, and of the target's milestone. */
  textBytes: number;
}

interface CausingNote {
  id: number;
  body: string;
}

type TodoTarget = Pick<Issuable, 'type' | 'id' | 'projectId'>;
export type TodoReason = Pick<Todo, 'action' | 'authorId'> & { noteId?: number | undefined };

@Injectable()
export class TodosRepository {
  private readonly columns: string;

  constructor(
    private readonly database: Database,
    private readonly kinds: IssuableKinds,
  ) {
    this.columns = database.columns(Todo).list('t');
  }

  /** Inserts a pending todo for each user who has none for the target. @returns the IDs of the new ones */
  async insertUnlessPending(
    { type, id, projectId }: TodoTarget,
    userIds: readonly number[],
    { action, authorId, noteId }: TodoReason,
  ): Promise<number[]> {
    const rows = await this.database.rows<{ id: number }>(INSERT, [
      [...userIds].sort((a, b) => a - b),
      projectId,
      type,
      id,
      noteId ?? null,
      authorId,
      action,
    ]);
    return rows.map((row) => row.id);
  }

  findById(id: number): Promise<Todo | null> {
    return this.database.of(Todo).findOneBy({ id });
  }

  /** Marks a user's pending todo for a target as done. @returns whether there was one */
  async finish({ type, id }: Pick<Issuable, 'type' | 'id'>, userId: number): Promise<boolean> {
    const rows = await this.database.rows(
      `UPDATE todos SET state = 'done'
        WHERE user_id = $1 AND target_type = $2 AND target_id = $3 AND state = 'pending'
       RETURNING id`,
      [userId, type, id],
    );
    return rows.length > 0;
  }

  /** Finds the notes that caused todos. */
  findNotes(ids: readonly number[]): Promise<CausingNote[]> {
    return this.database.rows(NOTES, [ids]);
  }

  /** Finds when users got their last todos for a target for a reason, by the ID of the user. */
  async findTimes(
    { type, id }: Pick<Issuable, 'type' | 'id'>,
    userIds: readonly number[],
    action: TodoAction,
  ): Promise<ReadonlyMap<number, Date>> {
    const rows = await this.database.rows<{ userId: number; at: Date }>(TIMES, [
      type,
      id,
      userIds,
      action,
    ]);
    return new Map(rows.map(({ userId, at }) => [userId, at]));
  }

  /** Lists the todos of a user whose targets the user may read, the newest first. */
  async findPage(user: User, filter: TodoFilter, request: PageRequest): Promise<Page<ListedTodo>> {
    const { sql, parameters } = this.readable(user, filter);
    const { offset, limit } = windowOf(request);
    const todos = await this.database.rows<ListedTodo>(
      `SELECT page.*, ${this.textBytes()} AS "textBytes"
         FROM (SELECT ${this.columns} ${sql} ORDER BY t.id DESC
               OFFSET $${String(parameters.length + 1)} LIMIT $${String(parameters.length + 2)}) page
        ORDER BY page.id DESC`,
      [...parameters, offset, limit],
    );
    const [counted] = await this.database.rows<{ count: number }>(
      `SELECT count(*)::int AS count
         FROM (SELECT 1 ${sql} LIMIT ${String(COUNTED_ITEMS + 1)}) AS bounded`,
      parameters,
    );
    return Page.cut(todos, counted?.count ?? 0, request);
  }

  /** Marks a todo of the user as done. @returns the todo as it is then, null if there is none */
  async finishOne(user: User, id: number): Promise<Todo | null> {
    const { sql, parameters } = this.readable(user, {});
    const found = await this.database.rows<Todo>(
      `SELECT ${this.columns} ${sql} AND t.id = $${String(parameters.length + 1)}`,
      [...parameters, id],
    );
    const [todo] = found;
    if (todo === undefined) return null;
    await this.database.rows(`UPDATE todos SET state = 'done' WHERE id = $1`, [id]);
    return { ...todo, state: 'done' };
  }

  /** Marks the todos of a user's list as done. @returns their number */
  async finishAll(user: User, filter: TodoFilter): Promise<number> {
    const { sql, parameters } = this.readable(user, filter);
    const done = await this.database.rows(
      `UPDATE todos SET state = 'done'
        WHERE state = 'pending' AND id IN (SELECT t.id ${sql}) RETURNING id`,
      parameters,
    );
    return done.length;
  }

  /** Removes the todos in private projects of users who are no members any more. @param userIds null for all */
  async removeLost(
    { projectIds = [], groupIds = [] }: AccessEnded['scope'],
    userIds: readonly number[] | null,
  ): Promise<void> {
    await this.database.rows(REMOVE_LOST, [projectIds, groupIds, userIds]);
  }

  /** Removes some todos of a deleted account. @returns whether there may be more */
  @ErasesAccountData()
  async removeSomeOfUser(userId: number): Promise<boolean> {
    const gone = await this.database.rows(REMOVE_SOME, [userId]);
    return gone.length === CHUNK;
  }

  /** Attributes some todos that a deleted account caused to the ghost account. @returns whether there may be more */
  @ErasesAccountData()
  async handOver(authorId: number, ghostId: number): Promise<boolean> {
    const moved = await this.database.rows(HAND_OVER, [authorId, ghostId]);
    return moved.length === CHUNK;
  }

  /** Expresses the bytes of text in the view of a todo. */
  private textBytes(): string {
    const ofTargets = this.kinds.all.map(
      ({ type, table }) => `
        WHEN '${type}' THEN (
          SELECT coalesce(octet_length(k.description), 0) + coalesce(octet_length(m.description), 0)
            FROM ${table} k LEFT JOIN milestones m ON m.id = k.milestone_id
           WHERE k.id = page."targetId")`,
    );
    return `(coalesce((SELECT octet_length(body) FROM notes WHERE notes.id = page."noteId"), 0)
      + CASE page."targetType" ${ofTargets.join('')} END)::int`;
  }

  /** A `FROM` clause that finds the todos of the user that match the filter and whose targets the user may read. */
  private readable(
    user: User,
    { state, actions, authorId, projectId, type }: Partial<TodoFilter>,
  ): { sql: string; parameters: unknown[] } {
    const parameters: unknown[] = [user.id, user.admin, visibleLevels(user)];
    const conditions: string[] = [];
    const filters = {
      state,
      author_id: authorId,
      project_id: projectId,
      target_type: type,
    };
    for (const [column, value] of Object.entries(filters)) {
      if (value === undefined) continue;
      parameters.push(value);
      conditions.push(`AND t.${column} = $${String(parameters.length)}`);
    }
    if (actions !== undefined) {
      parameters.push(actions);
      conditions.push(`AND t.action = ANY($${String(parameters.length)}::varchar[])`);
    }
    const targets = this.kinds.all.map((kind) => {
      const names = { target: 'k', reader: '$1', level: LEVEL, visible: VISIBLE };
      return `(t.target_type = '${kind.type}' AND EXISTS (
        SELECT 1 FROM ${kind.table} k WHERE k.id = t.target_id AND ${kind.readable(names)}))`;
    });
    const sql = `${FROM} ${conditions.join(' ')} AND (${['false', ...targets].join(' OR ')})`;
    return { sql, parameters };
  }
}

const CHUNK = 1_000;

// Concurrent transactions insert in the order of users, so that they do not deadlock.
const INSERT = `
  INSERT INTO todos (user_id, project_id, target_type, target_id, note_id, author_id, action)
  SELECT user_id, $2, $3, $4, $5, $6, $7 FROM unnest($1::int[]) AS wanted (user_id)
  ON CONFLICT DO NOTHING
  RETURNING id`;

const TIMES = `
  SELECT user_id AS "userId", max(created_at) AS at FROM todos
   WHERE target_type = $1 AND target_id = $2 AND user_id = ANY(${opaqueArray('$3', 'int')})
     AND action = $4
   GROUP BY user_id`;

const NOTES = 'SELECT id, body FROM notes WHERE id = ANY($1::int[])';

const REMOVE_SOME = `
  DELETE FROM todos
   WHERE id IN (SELECT id FROM todos WHERE user_id = $1 LIMIT ${String(CHUNK)})
  RETURNING id`;

const HAND_OVER = `
  UPDATE todos SET author_id = $2
   WHERE id IN (SELECT id FROM todos WHERE author_id = $1 LIMIT ${String(CHUNK)})
  RETURNING id`;

const VISIBLE = `p.visibility_level = ANY(${opaqueArray('$3', 'int')})`;

const LEVEL = `
  CASE WHEN $2 THEN ${String(Level.OWNER)}
       ELSE own.level END`;

const FROM = `
  FROM todos t
  ${existingProject('t.project_id')}
 CROSS JOIN LATERAL (SELECT ${levelOnProject('p', 'n', '$1')} AS level OFFSET 0) own
 WHERE t.user_id = $1`;

const REMOVE_LOST = `
  WITH ended AS (
    SELECT p.id
      FROM (SELECT unnest($1::int[])
            UNION SELECT own.id FROM unnest($2::int[]) AS ended_in (id)
                   CROSS JOIN ${rowsWhere('projects', 'namespace_id = ended_in.id AND deleted_at IS NULL')} own
            UNION SELECT l.project_id FROM unnest($2::int[]) AS ended_in (id)
                   CROSS JOIN ${rowsWhere('project_group_links', 'group_id = ended_in.id')} l) concerned (id)
      JOIN ${rowById('projects', 'concerned.id')} p
        ON p.visibility_level = ${String(VISIBILITY_LEVEL.private)})
  DELETE FROM todos t USING users u
   WHERE u.id = t.user_id AND NOT u.admin
     AND t.project_id IN (SELECT ended.id FROM ended)
     AND ($3::int[] IS NULL OR t.user_id = ANY($3::int[]))
     AND ${levelById('t.project_id', 't.user_id')} = 0`;
