import type { Request } from 'express';

/** The query of a request as it was sent, with its question mark; empty without one. */
export function queryOf({ originalUrl }: Request): string {
  const start = originalUrl.indexOf('?');
  return start < 0 ? '' : originalUrl.slice(start);
}
