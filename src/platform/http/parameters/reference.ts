import { MAX_ID, UNKNOWN_ID } from '../../database/index.js';

/**
 * How a path names a project, group or user: by id or by path
 * (docs/reference/conventions.md#identifiers-in-paths).
 */
export type Reference =
  { readonly by: 'id'; readonly id: number } | { readonly by: 'path'; readonly path: string };

export const DIGITS = /^\d+$/;

/** Only digits are an id, never a path; an id no row can have becomes `UNKNOWN_ID`. */
export function reference(value: string): Reference {
  if (!DIGITS.test(value)) return { by: 'path', path: value };
  const id = Number(value);
  return { by: 'id', id: id > MAX_ID ? UNKNOWN_ID : id };
}

/**
 * The value of a wildcard at the end of a path (`*branch`), which the router cuts at literal slashes;
 * encoded ones are in the segments already.
 */
export function restOfPath(value: string | readonly string[]): string {
  return typeof value === 'string' ? value : value.join('/');
}
