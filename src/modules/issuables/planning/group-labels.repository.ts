import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';
import { lockEqual, lockNames } from './planning.sql.js';

const LOCK_EQUAL = lockEqual('labels', 'name');

const KEEP_PRIORITIES = `
  INSERT INTO label_priorities (label_id, project_id, priority)
  SELECT $1, project_id, priority FROM labels WHERE id = ANY($2::int[]) AND priority IS NOT NULL`;

/** @param $1 the label that stays @param $2 all labels of the name */
const MERGE = [
  KEEP_PRIORITIES,
  `UPDATE label_links link SET project_id = l.project_id
     FROM labels l WHERE l.id = link.label_id AND link.label_id = $1 AND $1 = ANY($2::int[])`,
  `INSERT INTO label_links (target_type, target_id, label_id, created_at, state, confidential,
                            author_id, project_id)
   SELECT link.target_type, link.target_id, $1, link.created_at, link.state, link.confidential,
          link.author_id, l.project_id
     FROM labels l JOIN label_links link ON link.label_id = l.id
    WHERE l.id = ANY($2::int[]) AND l.id <> $1
   ON CONFLICT DO NOTHING`,
  `INSERT INTO subscriptions (target_type, target_id, user_id, subscribed)
   SELECT DISTINCT ON (user_id) 'Label', $1, user_id, subscribed FROM subscriptions
    WHERE target_type = 'Label' AND target_id = ANY($2::int[]) AND target_id <> $1
    ORDER BY user_id, subscribed DESC
   ON CONFLICT DO NOTHING`,
  `DELETE FROM subscriptions
    WHERE target_type = 'Label' AND target_id = ANY($2::int[]) AND target_id <> $1`,
  `UPDATE subscriptions SET project_id = NULL
    WHERE target_type = 'Label' AND target_id = $1 AND $1 = ANY($2::int[])`,
  'DELETE FROM labels WHERE id = ANY($2::int[]) AND id <> $1',
];

const MAKE_GROUPS = `
  UPDATE labels SET project_id = NULL, group_id = $2, priority = NULL, updated_at = now()
   WHERE id = $1`;

const SET_PRIORITY = `
  INSERT INTO label_priorities (label_id, project_id, priority) VALUES ($1, $2, $3)
  ON CONFLICT (label_id, project_id) DO UPDATE SET priority = excluded.priority`;

/** What labels of groups have that others do not: priorities in projects, and a way to become one. */
@Injectable()
export class GroupLabelsRepository {
  constructor(private readonly database: Database) {}

  /** Returns the priorities that a project gives to labels of its group, by their IDs. */
  async prioritiesOf(
    projectId: number,
    labelIds: readonly number[],
  ): Promise<ReadonlyMap<number, number>> {
    if (labelIds.length === 0) return new Map();
    const rows = await this.database.rows<{ labelId: number; priority: number }>(
      `SELECT label_id AS "labelId", priority FROM label_priorities
        WHERE label_id = ANY($1::int[]) AND project_id = $2`,
      [labelIds, projectId],
    );
    return new Map(rows.map(({ labelId, priority }) => [labelId, priority]));
  }

  /** Stores the priority that a project gives to a label of its group; null removes it. */
  async setPriority(labelId: number, projectId: number, priority: number | null): Promise<void> {
    const [sql, values] =
      priority === null
        ? ['DELETE FROM label_priorities WHERE label_id = $1 AND project_id = $2', []]
        : [SET_PRIORITY, [priority]];
    await this.database.rows(sql, [labelId, projectId, ...values]);
  }

  /**
   * Makes a label of a project one of its group, in place of all that have its name in the group's projects. Their issues and merge
   * requests keep it, each project its priority, and users their subscriptions.
   * @returns false if the label is no longer one of the group's projects
   */
  async promote(id: number, groupId: number): Promise<boolean> {
    await lockNames(this.database, [groupId]);
    const equal = await this.database.rows<{ id: number }>(LOCK_EQUAL, [id, groupId]);
    const ids = equal.map((label) => label.id);
    if (!ids.includes(id)) return false;
    for (const statement of MERGE) await this.database.rows(statement, [id, ids]);
    await this.database.rows(MAKE_GROUPS, [id, groupId]);
    return true;
  }
}
