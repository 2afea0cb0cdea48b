import { Injectable } from '@nestjs/common';
import { Database, plannedOnce } from '../../../platform/database/index.js';
import { COUNTED_ITEMS, Page, type PageRequest, windowOf } from '../../../platform/http/index.js';
import { Level, projectLevels, visibleLevels } from '../../access/index.js';
import type { User } from '../../users/index.js';
import type { IssuableType } from '../issuable.js';
import { IssuableKinds } from '../issuable-kinds.js';
import { Todo, type TodoAction, type TodoState } from './todo.entity.js';

export interface TodoFilter {
  state: TodoState;
  action?: TodoAction | undefined;
  authorId?: number | undefined;
  projectId?: number | undefined;
  type?: IssuableType | undefined;
}

/** A todo in a list. */
export interface ListedTodo extends Todo {
  /** Of the note that caused it, of its target, and of the target's milestone. */
  textBytes: number;
}

/**
 * Reads what waits for users, as far as they may read what it is for
 * (docs/reference/todos.md#endpoints).
 */
@Injectable()
export class TodoLists {
  constructor(
    private readonly database: Database,
    private readonly kinds: IssuableKinds,
  ) {}

  /** The newest first: a statement for the page and one for the number. */
  async page(user: User, filter: TodoFilter, request: PageRequest): Promise<Page<ListedTodo>> {
    const { sql, parameters } = this.readable(user, filter);
    const { offset, limit } = windowOf(request);
    const todos = await this.database.rows<ListedTodo>(
      `SELECT page.*, ${this.textBytes()} AS "textBytes"
         FROM (SELECT ${COLUMNS} ${sql} ORDER BY t.id DESC
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

  /** Makes a pending one of the user's done; answers it as it is then, null when there is none. */
  async finishOne(user: User, id: number): Promise<Todo | null> {
    const { sql, parameters } = this.readable(user, {});
    const found = await this.database.rows<Todo>(
      `SELECT ${COLUMNS} ${sql} AND t.id = $${String(parameters.length + 1)}`,
      [...parameters, id],
    );
    const [todo] = found;
    if (todo === undefined) return null;
    await this.database.rows(`UPDATE todos SET state = 'done' WHERE id = $1`, [id]);
    return { ...todo, state: 'done' };
  }

  /** Makes those on the user's list done; answers how many there were. */
  async finishAll(user: User, filter: TodoFilter): Promise<number> {
    const { sql, parameters } = this.readable(user, filter);
    const done = await this.database.rows(
      `UPDATE todos SET state = 'done'
        WHERE state = 'pending' AND id IN (SELECT t.id ${sql}) RETURNING id`,
      parameters,
    );
    return done.length;
  }

  /** In SQL, the bytes of text that the view of a todo of the page holds. */
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

  /** From here on a statement finds what of the user's they may read and fits the filter. */
  private readable(
    user: User,
    { state, action, authorId, projectId, type }: Partial<TodoFilter>,
  ): { sql: string; parameters: unknown[] } {
    const parameters: unknown[] = [user.id, user.admin, visibleLevels(user)];
    const conditions: string[] = [];
    const filters = {
      state,
      action,
      author_id: authorId,
      project_id: projectId,
      target_type: type,
    };
    for (const [column, value] of Object.entries(filters)) {
      if (value === undefined) continue;
      parameters.push(value);
      conditions.push(`AND t.${column} = $${String(parameters.length)}`);
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

const COLUMNS = `
  t.id, t.user_id AS "userId", t.project_id AS "projectId", t.target_type AS "targetType",
  t.target_id AS "targetId", t.note_id AS "noteId", t.author_id AS "authorId", t.action, t.state,
  t.created_at AS "createdAt"`;

const VISIBLE = `p.visibility_level = ANY(${plannedOnce('$3', 'int')})`;

const LEVEL = `
  CASE WHEN $2 THEN ${String(Level.OWNER)}
       ELSE coalesce(standing.level, ${String(Level.VISITOR)}) END`;

const FROM = `
  FROM todos t
  JOIN projects p ON p.id = t.project_id AND p.deleted_at IS NULL
  JOIN namespaces n ON n.id = p.namespace_id AND n.deleted_at IS NULL
  LEFT JOIN (SELECT levels.project_id, max(levels.access_level) AS level
               FROM (${projectLevels('$1')}) levels GROUP BY levels.project_id) standing
    ON standing.project_id = p.id
 WHERE t.user_id = $1`;
