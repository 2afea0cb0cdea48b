import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';
import type { DiffPosition } from './note.entity.js';

/** The position of a thread. */
export interface FollowedPosition {
  readonly discussionId: number;
  readonly position: DiffPosition;
  /** How many notes the thread has. */
  readonly notes: number;
}

/** Where a thread is now; null: it is outdated. */
export interface MovedPosition extends FollowedPosition {
  readonly now: DiffPosition | null;
}

/** The positions of threads on merge requests, which follow the versions. */
@Injectable()
export class PositionsRepository {
  constructor(private readonly database: Database) {}

  /** Whether a merge request has a position that is not outdated. */
  async hasAny(mergeRequestId: number): Promise<boolean> {
    return (await this.database.rows(HAS_ANY, [mergeRequestId])).length > 0;
  }

  /** Finds positions that are in other commits than those of a version, without outdated ones, by the IDs of their threads. */
  findBehind(
    mergeRequestId: number,
    {
      version: { base, head },
      after,
      limit,
    }: {
      readonly version: { readonly base: string; readonly head: string };
      readonly after: number;
      readonly limit: number;
    },
  ): Promise<FollowedPosition[]> {
    return this.database.rows(FIND_BEHIND, [mergeRequestId, after, base, head, limit]);
  }

  /** Moves the notes of threads that still are where they were. Call with the merge request locked. */
  async move(positions: readonly MovedPosition[]): Promise<void> {
    await this.database.rows(MOVE, [
      positions.map(({ discussionId }) => discussionId),
      positions.map(({ position }) => position.headSha),
      positions.map(({ now }) => now && JSON.stringify(now)),
    ]);
  }
}

const ACTIVE = `
  noteable_type = 'MergeRequest' AND noteable_id = $1
  AND position IS NOT NULL AND NOT is_reply AND NOT outdated`;

const HAS_ANY = `SELECT 1 FROM notes WHERE ${ACTIVE} LIMIT 1`;

const FIND_BEHIND = `
  SELECT discussion_id AS "discussionId", position,
         (SELECT count(*)::int FROM notes r WHERE r.discussion_id = notes.discussion_id) AS notes
    FROM notes
   WHERE ${ACTIVE} AND discussion_id > $2
     AND (position ->> 'baseSha' <> $3 OR position ->> 'headSha' <> $4)
   ORDER BY discussion_id LIMIT $5`;

const MOVE = `
  UPDATE notes n SET position = coalesce(moved.position, n.position), outdated = moved.position IS NULL
    FROM unnest($1::int[], $2::text[], $3::jsonb[]) AS moved (discussion_id, head_sha, position)
   WHERE n.discussion_id = moved.discussion_id AND n.position ->> 'headSha' = moved.head_sha`;
