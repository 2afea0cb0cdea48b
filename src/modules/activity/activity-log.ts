import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/index.js';
import { ActivityEvent } from './event.entity.js';

/** The verbs of the feed (specification 2.17, open points 06). */
export type ActivityAction =
  | 'created'
  | 'imported'
  | 'joined'
  | 'left'
  | 'removed due to membership expiration from'
  | 'pushed new'
  | 'pushed to'
  | 'deleted'
  | 'commented on';

export interface Activity {
  projectId: number;
  authorId: number;
  action: ActivityAction;
  data?: object;
  /** What it was done to; the room that owns it describes it to the feeds. */
  target?: { type: string; id: number };
}

@Injectable()
export class ActivityLog {
  constructor(private readonly database: Database) {}

  /**
   * Records events in the caller's unit of work, in the order given, and moves the project's
   * `last_activity_at`.
   */
  async record(activities: readonly Activity[]): Promise<void> {
    const projectIds = [...new Set(activities.map(({ projectId }) => projectId))];
    if (projectIds.length === 0) return;
    await this.database.of(ActivityEvent).insert(
      activities.map(({ projectId, authorId, action, data, target }) => ({
        projectId,
        authorId,
        action,
        data: data ?? null,
        targetType: target?.type ?? null,
        targetId: target?.id ?? null,
      })),
    );
    await this.database.rows(
      `UPDATE projects SET last_activity_at = greatest(last_activity_at, date_trunc('milliseconds', now()))
        WHERE id = ANY($1::int[])`,
      [projectIds],
    );
  }
}
