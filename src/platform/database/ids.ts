/** The largest id a table holds. */
export const MAX_ID = 2_147_483_647;

/**
 * Stands for an integer no row can have: ids start at 1. Ids beyond `MAX_ID` become this value, so that
 * a lookup misses by itself and answers its own 404 instead of failing in SQL.
 */
export const UNKNOWN_ID = -1;
