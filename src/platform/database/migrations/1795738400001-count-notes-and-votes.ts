import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Rows that one transaction counts for. */
const CHUNK = 1_000;

const KINDS = [
  ['issues', 'Issue'],
  ['merge_requests', 'MergeRequest'],
] as const;

/**
 * Counts the notes and votes on issues and merge requests that were there before the triggers, some rows at a time: no
 * writer waits longer than for one of these transactions. It may begin again after a failure.
 */
export class CountNotesAndVotes1795738400001 implements MigrationInterface {
  readonly name = 'CountNotesAndVotes1795738400001';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const [table, type] of KINDS) {
      for (let last: number | null = 0; last !== null;) {
        last = await countNext(runner, { table, type, last });
      }
    }
  }

  /** The counters go with their columns. */
  down(): Promise<void> {
    return Promise.resolve();
  }
}

/** @returns the ID of the last row, null if there are no more */
async function countNext(
  runner: QueryRunner,
  { table, type, last }: { table: string; type: string; last: number },
): Promise<number | null> {
  await runner.startTransaction();
  try {
    const rows = (await runner.query(LOCK_NEXT(table), [last])) as { id: number }[];
    const ids = rows.map(({ id }) => id);
    // A second statement sees all that is counted in the locked rows; what commits later is counted after it.
    await runner.query(COUNT(table, type), [ids]);
    await runner.commitTransaction();
    return ids.length < CHUNK ? null : (ids.at(-1) ?? null);
  } catch (error) {
    await runner.rollbackTransaction();
    throw error;
  }
}

const LOCK_NEXT = (table: string): string => `
  SELECT id FROM ${table} WHERE id > $1 ORDER BY id LIMIT ${String(CHUNK)} FOR NO KEY UPDATE`;

const COUNT = (table: string, type: string): string => `
  UPDATE ${table} t SET user_notes_count = counted.notes, upvotes = counted.up, downvotes = counted.down
    FROM unnest($1::int[]) AS locked (id),
         LATERAL (SELECT count(*)::int AS notes FROM notes
                   WHERE noteable_type = '${type}' AND noteable_id = locked.id AND NOT system) n,
         LATERAL (SELECT (count(*) FILTER (WHERE name = 'thumbsup'))::int AS up,
                         (count(*) FILTER (WHERE name = 'thumbsdown'))::int AS down
                    FROM award_emoji
                   WHERE awardable_type = '${type}' AND awardable_id = locked.id) a,
         LATERAL (SELECT n.notes, a.up, a.down) counted
   WHERE t.id = locked.id
     AND (t.user_notes_count, t.upvotes, t.downvotes) IS DISTINCT FROM (counted.notes, counted.up, counted.down)`;
