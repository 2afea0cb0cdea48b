/** Where the API lives; nothing below other paths is touched by the parameter reader. */
export const API_PREFIX = '/api/v3';

/** The largest id a table holds. */
export const MAX_ID = 2_147_483_647;

/**
 * Stands for an integer no row can have: ids start at 1. Ids beyond `MAX_ID` become this value, so that
 * a lookup misses by itself and answers its own 404 instead of failing in SQL.
 */
export const UNKNOWN_ID = -1;

/** Whether a path lies inside the API. */
export function isApiPath(path: string): boolean {
  return path === API_PREFIX || path.startsWith(`${API_PREFIX}/`);
}
