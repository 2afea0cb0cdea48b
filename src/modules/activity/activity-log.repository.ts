import { Injectable } from '@nestjs/common';
import { Database, rowsByIds } from '../../platform/database/index.js';
import type { PushedRef } from './pushed-ref.js';

/** The actions of events in the feeds. */
export type ActivityAction =
  | 'created'
  | 'imported'
  | 'joined'
  | 'left'
  | 'removed due to membership expiration from'
  | 'pushed new'
  | 'pushed to'
  | 'deleted'
  | 'commented on'
  | 'opened'
  | 'closed'
  | 'accepted'
  | 'approved'
  | 'destroyed';

export interface Activity {
  projectId: number;
  authorId: number;
  action: ActivityAction;
  /** Of a push. */
  pushedRef?: PushedRef;
  /**
   * The target of the action, which the room that owns it describes in the feeds. Its ID is null when it is
   * deleted.
   */
  target?: { type: string; id: number | null };
}

/** Inserts events in the order of the parameters, and updates `last_activity_at` of their projects. */
const RECORD = `
  WITH recorded AS (
    INSERT INTO events (project_id, author_id, action, pushed_ref, target_type, target_id)
    SELECT project_id, author_id, action, pushed_ref::jsonb, target_type, target_id
      FROM unnest($1::int[], $2::int[], $3::varchar[], $4::text[], $5::varchar[], $6::int[])
             WITH ORDINALITY
             AS done (project_id, author_id, action, pushed_ref, target_type, target_id, position)
     ORDER BY position
    RETURNING project_id)
  UPDATE projects
     SET last_activity_at = date_trunc('milliseconds', now())
    FROM ${rowsByIds('projects', 'ARRAY(SELECT project_id FROM recorded)')} active
   WHERE projects.id = active.id
     AND projects.last_activity_at < date_trunc('milliseconds', now())`;

/** When something was done last, and by which account. */
export interface LastActivity {
  readonly authorId: number;
  readonly at: Date;
}

/** The target type and ID lead to few events, whatever their number in all. */
const LAST = `
  SELECT target.id AS "targetId", done.author_id AS "authorId", done.created_at AS at
    FROM unnest($3::int[]) AS target (id)
   CROSS JOIN LATERAL (
     SELECT event.author_id, event.created_at FROM events event
      WHERE event.target_type = $1 AND event.target_id = target.id AND event.action = ANY($2::varchar[])
      ORDER BY event.id DESC LIMIT 1) done`;

/** Records activity for the feeds. */
@Injectable()
export class ActivityLog {
  constructor(private readonly database: Database) {}

  /** Finds when one of some actions was recorded last on each of some targets, with one statement; none without targets. */
  async findLast(
    type: string,
    actions: readonly ActivityAction[],
    ids: readonly number[],
  ): Promise<ReadonlyMap<number, LastActivity>> {
    if (ids.length === 0) return new Map();
    const rows = await this.database.rows<LastActivity & { targetId: number }>(LAST, [
      type,
      [...actions],
      [...ids],
    ]);
    return new Map(rows.map(({ targetId, authorId, at }) => [targetId, { authorId, at }]));
  }

  /**
   * Inserts events in the caller's unit of work, in the given order, and updates the project's
   * `last_activity_at`, with one statement.
   */
  async record(activities: readonly Activity[]): Promise<void> {
    if (activities.length === 0) return;
    await this.database.runAtCommit(RECORD, [
      activities.map(({ projectId }) => projectId),
      activities.map(({ authorId }) => authorId),
      activities.map(({ action }) => action),
      activities.map(({ pushedRef }) =>
        pushedRef === undefined ? null : JSON.stringify(pushedRef),
      ),
      activities.map(({ target }) => target?.type ?? null),
      activities.map(({ target }) => target?.id ?? null),
    ]);
  }
}
