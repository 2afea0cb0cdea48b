import { CallContext } from '../async/index.js';
import { preconditionFailed } from '../errors/index.js';
import type { Database } from './database.js';

const MS_PER_SECOND = 1_000;

/** The time after which what the current request removes must not have changed; undefined without a condition. */
const conditions = new CallContext<Date>();

/** Runs work that may remove something only if that has not changed since a time. */
export const onlyUnmodifiedSince = <Result>(
  since: Date,
  work: () => Promise<Result>,
): Promise<Result> => conditions.run(since, work);

/**
 * Refuses the removal of a row that has changed after the time which the request names, to the second. The row has to be locked to
 * the end of the unit of work.
 * @throws DomainError precondition failed
 */
export function assertUnmodified(changedAt: Date): void {
  const since = conditions.getStore();
  if (since === undefined) return;
  const second = (time: Date): number => Math.floor(time.getTime() / MS_PER_SECOND);
  if (second(changedAt) > second(since)) throw preconditionFailed();
}

/**
 * Locks rows that are about to be removed and checks them, if the request has a condition. Call in the unit of work of the
 * removal.
 * @param column the time of their last change
 * @param where a condition with parameters
 * @throws DomainError precondition failed
 */
export async function holdUnmodified(
  database: Pick<Database, 'rows'>,
  { table, column, where }: { table: string; column: 'updated_at' | 'created_at'; where: string },
  parameters: readonly unknown[],
): Promise<void> {
  if (conditions.getStore() === undefined) return;
  const rows = await database.rows<{ at: Date }>(
    `SELECT ${column} AS at FROM ${table} WHERE ${where} FOR UPDATE`,
    [...parameters],
  );
  for (const { at } of rows) assertUnmodified(at);
}
