/**
 * What a statement holds (as a comment) when it is planned anew for its values each time: a statement
 * whose best way depends on them, or whose text has too many forms to keep. The comment may stand in
 * a subquery, since a count is written around the statement that it counts.
 */
export const PLANNED_EACH_TIME = 'planned for its values';
/** The same as it stands in a statement. */
export const PLANNED = `/* ${PLANNED_EACH_TIME} */`;

/** The largest id a table holds. */
export const MAX_ID = 2_147_483_647;

/**
 * Stands for an integer no row can have: ids start at 1. Ids beyond `MAX_ID` become this value, so that
 * a lookup misses by itself and answers its own 404 instead of failing in SQL.
 */
export const UNKNOWN_ID = -1;

/** A pattern for LIKE and ILIKE that finds the text anywhere; wildcards in it are taken literally. */
export function containing(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}

/** A text that PostgreSQL takes: its own hold no NUL, which is shown as what cannot be shown. */
export const withoutNul = (text: string): string => text.replaceAll('\0', '\uFFFD');

/** A text as it is once stored: NUL and lone surrogates become U+FFFD. Texts that differ before may be the same one. */
export const asStored = (text: string): string => Buffer.from(withoutNul(text)).toString();

/**
 * An array parameter that the planner does not look into. A prepared statement is planned anew on every
 * run as long as a plan for the very values seems cheaper than one for any; for arrays of one element it
 * always seems so, and planning a statement of many parts takes ten times as long as running it.
 *
 * @param parameter `$1` and so on
 * @param type of its elements
 */
export const opaqueArray = (parameter: string, type: string): string =>
  `(SELECT ${parameter}::${type}[])::${type}[]`;

/** A parameter with one value that the planner does not look into, for the same reason. */
export const opaqueValue = (parameter: string, type: string): string =>
  `(SELECT ${parameter}::${type})`;
