import type { Request } from 'express';
import { isBelow } from './face/api-face.js';
import { faceOf } from './face/request-face.js';

/** Where pages for browsers live that read parameters: no namespace has such a path (docs/reference/users.md#user-names). */
export const PAGES_PREFIX = '/-';
const CONSOLE_PREFIX = '/admin';
export const HELP_PREFIX = '/help';

/** Downloads of uploads by the ID of their project. */
const DOWNLOADS_PREFIX = `${PAGES_PREFIX}/project`;

const PREFIXES = [PAGES_PREFIX, CONSOLE_PREFIX, HELP_PREFIX];

/** Whether the parameters of a request are read: those of the API and of pages, not those of Git and of downloads. */
export function hasParameters(request: Request): boolean {
  if (faceOf(request) !== undefined) return true;
  const { path } = request;
  return PREFIXES.some((prefix) => isBelow(prefix, path)) && !isBelow(DOWNLOADS_PREFIX, path);
}
