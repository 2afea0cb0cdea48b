// PostgreSQL chooses how to read a table by what it knows of it. Where it has no statistics yet, it takes a condition such as
// `deleted_at IS NULL` for one that hardly any row meets, and then walks through all rows that do. These parts of statements
// leave it no such choice (docs/decisions/0069-plans-by-key.md).

/**
 * A condition that is checked for the rows that the other conditions have found. No index is read for it, and the number of rows is
 * not estimated by it.
 */
export const checked = (condition: string): string => `CASE WHEN ${condition} THEN true END`;

/** Whether a row is not deleted, checked for rows that other conditions have found. @param alias of the table, unless there is one only */
export const notDeleted = (alias?: string): string =>
  checked(`${alias === undefined ? '' : `${alias}.`}deleted_at IS NULL`);

/**
 * A part of FROM: the rows of a table that meet a condition, found for each row of what stands before it. Conditions outside
 * are checked on the rows that it has found.
 * @param condition names an index by its columns; may refer to what stands before
 */
export const rowsWhere = (table: string, condition: string): string =>
  `LATERAL (SELECT * FROM ${table} WHERE ${condition} OFFSET 0)`;

/** As `rowsWhere`, for the row with an ID. @param id a parameter, or a column of what stands before, with its alias */
export const rowById = (table: string, id: string): string => rowsWhere(table, `id = ${id}`);

/**
 * As `rowsWhere`, for rows that only a partial index holds. Without statistics a smaller index on the same part of the table seems
 * cheaper, though it has to be read from end to end. `once` makes PostgreSQL expect ten times the rows, and the limit, which it does
 * not know, the need for a tenth of them: so reading them in the order of the key seems cheapest.
 * @param key the first column of the index, or the first that no condition fixes
 * @param value a parameter, or a column of what stands before, with its alias
 * @param condition implies the condition of the index; may refer to what stands before
 */
export const rowsByKey = (table: string, key: string, value: string, condition: string): string => `
  LATERAL (
    SELECT ${table}.* FROM ${table}, unnest(ARRAY(SELECT 1)) AS once
     WHERE ${key} BETWEEN ${value} AND ${value} AND ${condition}
     ${inOrderOf(key)})`;

/**
 * A part of FROM: the rows of a table with the given IDs. PostgreSQL takes an array for ten elements, for which it would read a small
 * table from end to end.
 * @param ids an array, as an expression
 */
export const rowsByIds = (table: string, ids: string): string => `(
  SELECT * FROM ${table} WHERE id = ANY(${ids}) ${inOrderOf('id')})`;

/**
 * The end of a statement that selects several rows by an array. PostgreSQL takes a limit that it does not know for a tenth of the rows, and
 * reads them in their order, by the index on the key.
 */
export const inOrderOf = (key: string): string => `ORDER BY ${key} LIMIT (SELECT NULL::bigint)`;
