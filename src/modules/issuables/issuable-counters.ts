import { Injectable } from '@nestjs/common';
import { Database, plannedOnce } from '../../platform/database/index.js';
import type { IssuableType } from './issuable.js';
import { IssuableKinds } from './issuable-kinds.js';
import { participates } from './subscriptions/participation.js';

/** The counters of an issue or merge request that its response embeds, and whether its reader is subscribed. */
export interface Counters {
  upvotes: number;
  downvotes: number;
  /** Without system notes. */
  userNotesCount: number;
  /** Whether the reader is subscribed. */
  subscribed: boolean;
}

@Injectable()
export class IssuableCounters {
  constructor(
    private readonly database: Database,
    private readonly kinds: IssuableKinds,
  ) {}

  /**
   * Loads the counters of a page with one statement.
   * @param readerId null for an anonymous reader
   */
  async load(
    type: IssuableType,
    ids: readonly number[],
    readerId: number | null,
  ): Promise<ReadonlyMap<number, Counters>> {
    if (ids.length === 0) return new Map();
    const rows = await this.database.rows<Counters & { id: number }>(
      countersSql(this.kinds.of(type).table),
      [type, [...ids], readerId],
    );
    return new Map(rows.map(({ id, ...counters }) => [id, counters]));
  }
}

const countersSql = (table: string): string => `
  SELECT t.id, votes.up AS upvotes, votes.down AS downvotes,
         (SELECT count(*)::int FROM notes n
           WHERE n.noteable_type = $1::varchar AND n.noteable_id = t.id AND NOT n.system) AS "userNotesCount",
         coalesce(
           (SELECT s.subscribed FROM subscriptions s
             WHERE s.target_type = $1::varchar AND s.target_id = t.id AND s.user_id = $3::int),
           ${participates('t', '$1::varchar', '$3::int')}, false) AS subscribed
    FROM ${table} t
    CROSS JOIN LATERAL (
      SELECT count(*) FILTER (WHERE a.name = 'thumbsup')::int AS up,
             count(*) FILTER (WHERE a.name = 'thumbsdown')::int AS down
        FROM award_emoji a
       WHERE a.awardable_type = $1::varchar AND a.awardable_id = t.id
         AND a.name IN ('thumbsup', 'thumbsdown')) votes
   WHERE t.id = ANY(${plannedOnce('$2', 'int')})`;
