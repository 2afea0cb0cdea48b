/** Where the API lives; nothing below other paths is touched by the parameter reader. */
export const API_PREFIX = '/api/v3';

/** Whether a path lies inside the API. */
export function isApiPath(path: string): boolean {
  return path === API_PREFIX || path.startsWith(`${API_PREFIX}/`);
}
