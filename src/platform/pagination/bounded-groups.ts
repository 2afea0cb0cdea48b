import { COUNTED_ITEMS } from './page.js';

/** Rows that are counted by the first columns of an index. */
interface GroupedRows {
  readonly table: string;
  /** The condition of the index, which is a partial one. */
  readonly where: string;
  /** The first columns of the index. */
  readonly by: readonly string[];
  /** The column of the index behind them: a time, and which times are counted. */
  readonly time?: {
    readonly column: string;
    /** Exclusive; SQL. */
    readonly after?: string;
    /** Inclusive; SQL. */
    readonly until?: string;
  };
}

/**
 * A query of how many rows each combination of some columns has, as `counted`, and of the earliest of their times, as
 * `earliest`. It counts each exactly up to `COUNTED_ITEMS`, and steps from one combination to the next by the index: its cost
 * does not grow with the table. To be run by `Database.rowsInIndexOrder`.
 */
export function boundedGroups({ table, where, by, time }: GroupedRows): string {
  const columns = by.join(', ');
  const row = (alias: string, ...further: string[]): string =>
    `(${[...by.map((column) => `${alias}.${column}`), ...further].join(', ')})`;
  const at = time === undefined ? [] : [`item.${time.column}`];
  const begin =
    time?.after === undefined
      ? `${row('item')} >= ${row('kind')}`
      : `${row('item', ...at)} > ${row('kind', time.after)}`;
  const end =
    time?.until === undefined
      ? `${row('item')} <= ${row('kind')}`
      : `${row('item', ...at)} <= ${row('kind', time.until)}`;
  const order = [...by.map((column) => `item.${column}`), ...at].join(', ');
  return `
  WITH RECURSIVE kind AS (
    (SELECT ${columns} FROM ${table} WHERE ${where} ORDER BY ${columns} LIMIT 1)
    UNION ALL
    SELECT next.* FROM kind CROSS JOIN LATERAL (
      SELECT ${columns} FROM ${table} item WHERE ${where} AND ${row('item')} > ${row('kind')}
       ORDER BY ${columns} LIMIT 1) AS next
  )
  SELECT kind.*, found.* FROM kind CROSS JOIN LATERAL (
    SELECT count(*)::int AS counted, min(at) AS earliest FROM (
      SELECT ${at[0] ?? 'NULL::timestamptz'} AS at FROM ${table} item
       WHERE ${where} AND ${begin} AND ${end}
       ORDER BY ${order} LIMIT ${String(COUNTED_ITEMS + 1)}) AS bounded) AS found`;
}
