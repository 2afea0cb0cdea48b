import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/index.js';
import { RECORD } from './activity-log.sql.js';

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
  | 'destroyed';

export interface Activity {
  projectId: number;
  authorId: number;
  action: ActivityAction;
  data?: object;
  /**
   * The target of the action, which the room that owns it describes in the feeds. Its ID is null when it is
   * deleted.
   */
  target?: { type: string; id: number | null };
}

@Injectable()
export class ActivityLog {
  constructor(private readonly database: Database) {}

  /**
   * Inserts events in the caller's unit of work, in the given order, and updates the project's
   * `last_activity_at`, with one statement.
   */
  async record(activities: readonly Activity[]): Promise<void> {
    if (activities.length === 0) return;
    await this.database.rows(RECORD, [
      activities.map(({ projectId }) => projectId),
      activities.map(({ authorId }) => authorId),
      activities.map(({ action }) => action),
      activities.map(({ data }) => (data === undefined ? null : JSON.stringify(data))),
      activities.map(({ target }) => target?.type ?? null),
      activities.map(({ target }) => target?.id ?? null),
    ]);
  }
}
