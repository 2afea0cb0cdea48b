/** What runs statements on the database: `Database`, or connections of a command that loads no modules. */
export interface Statements {
  /** Runs one statement with positional parameters (`$1`, …) and answers its rows. */
  rows<Row>(sql: string, parameters?: readonly unknown[]): Promise<Row[]>;
  /** As `rows`, for a statement that reads its tables in the order of an index. */
  rowsInIndexOrder<Row>(sql: string, parameters?: readonly unknown[]): Promise<Row[]>;
}

/**
 * Has a transaction read tables in the order of an index. Without compilation, too, for which the costs that PostgreSQL
 * estimates seem to be worth it.
 */
export const INDEX_ORDER = `
  SELECT set_config(name, 'off', true)
    FROM unnest('{enable_seqscan,enable_bitmapscan,enable_sort,jit}'::text[]) AS name`;
