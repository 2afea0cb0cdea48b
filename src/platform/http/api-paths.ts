import type { RequestHandler } from 'express';

/** Where the API lives; nothing below other paths is touched by the parameter reader. */
export const API_PREFIX = '/api/v3';

/** Whether a path lies inside the API. */
export function isApiPath(path: string): boolean {
  return isBelow(API_PREFIX, path);
}

/** Where pages for browsers live that read parameters: no namespace has such a path (docs/reference/users.md#user-names). */
export const PAGES_PREFIX = '/-';
export const CONSOLE_PREFIX = '/admin';
export const HELP_PREFIX = '/help';

/** Where the explorer lies, a page of the API; its files lie below. */
export const EXPLORER_PATH = `${API_PREFIX}/docs`;

const PREFIXES = [API_PREFIX, PAGES_PREFIX, CONSOLE_PREFIX, HELP_PREFIX];

/** Whether the parameters of a request are read: those of the API and of pages, not those of Git and of downloads. */
export function hasParameters(path: string): boolean {
  return PREFIXES.some((prefix) => isBelow(prefix, path));
}

/** Whether a path is a prefix or begins with it and a slash. */
export const isBelow = (prefix: string, path: string): boolean =>
  path === prefix || path.startsWith(`${prefix}/`);

const SUFFIX = '.json';
const REPEATED_SLASHES = /\/{2,}/g;
const VERBS_AFTER_SHA = new Set(['diff', 'comments', 'statuses', 'blob', 'cherry_pick', 'builds']);
const VERBS_AFTER_NAME = new Set(['protect', 'unprotect', 'release']);
const NAMED_LAST = /\/(?:branches|tags)\/(.+)$/;
const SHA_LAST = /\/(?:commits|raw_blobs|blobs|statuses)\/(.+)$/;
const FILE_LAST = /\/uploads\/.+$/;
const OLD_NAME = /^(\/api\/v3\/projects\/[^/]+\/)merge_request(?=\/|$)/;

/**
 * Rewrites the URL of API requests before routing: repeated slashes count as one, a trailing slash
 * and the suffix `.json` are dropped (docs/reference/conventions.md#identifiers-in-paths), and
 * merge requests go by one name. Escapes stay as they are, `%2F` above all.
 */
export const normalizePath: RequestHandler = (request, _response, next) => {
  const cut = request.url.indexOf('?');
  const path = cut < 0 ? request.url : request.url.slice(0, cut);
  const query = cut < 0 ? '' : request.url.slice(cut);
  const plain = normalized(path, request.method);
  if (plain !== path && isApiPath(plain)) request.url = plain + query;
  next();
};

/** The path as it is routed. */
export function normalized(path: string, method: string): string {
  const single = path.replace(REPEATED_SLASHES, '/');
  const bare = single.length > 1 && single.endsWith('/') ? single.slice(0, -1) : single;
  const plain = bare.replace(OLD_NAME, '$1merge_requests');
  const isSuffixed = plain.endsWith(SUFFIX) && !endsInValue(plain, method);
  return isSuffixed ? plain.slice(0, -SUFFIX.length) : plain;
}

// Whether the last segment is part of a value that may itself end in ".json".
function endsInValue(path: string, method: string): boolean {
  if (path === `${API_PREFIX}/openapi.json` || FILE_LAST.test(path)) return true;
  const name = NAMED_LAST.exec(path)?.[1];
  if (name !== undefined) return method === 'GET' || !endsInVerb(name, VERBS_AFTER_NAME);
  const sha = SHA_LAST.exec(path)?.[1];
  return sha !== undefined && !endsInVerb(sha, VERBS_AFTER_SHA);
}

function endsInVerb(rest: string, verbs: ReadonlySet<string>): boolean {
  const last = rest.lastIndexOf('/');
  return last > 0 && verbs.has(rest.slice(last + 1, -SUFFIX.length));
}
