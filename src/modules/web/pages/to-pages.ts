import type { RequestHandler } from 'express';
import { isReservedUserName } from '../../../platform/config/index.js';
import { faceOf, PAGES_PREFIX, prefersHtml } from '../../../platform/http/index.js';

// The routes lie elsewhere than the addresses, where they would take requests of other clients.
const PAGES = `${PAGES_PREFIX}/pages`;
const PATCHES = `${PAGES_PREFIX}/patches`;

/** Addresses below a namespace that have a page, without a slash at the end. */
const NAMESPACE_PAGES = [
  /^\/([^/]+)$/,
  /^\/([^/]+)\/(?![^/]*\.git$)[^/]+$/,
  /^\/([^/]+)\/[^/]+\/(?:issues|merge_requests|milestones)\/\d+$/,
  /^\/([^/]+)\/[^/]+\/merge_requests\/new$/,
  /^\/([^/]+)\/[^/]+\/commit\/[^/]+$/,
  /^\/([^/]+)\/[^/]+\/-\/releases$/,
  /^\/([^/]+)\/[^/]+\/-\/releases\/[^/]+$/,
];

/** Permanent addresses of the latest release and of assets, which lead elsewhere, for all clients. */
const PERMANENT = [
  /^\/([^/]+)\/[^/]+\/-\/releases\/permalink\/latest$/,
  /^\/([^/]+)\/[^/]+\/-\/releases\/permalink\/latest\/.+$/,
  /^\/([^/]+)\/[^/]+\/-\/releases\/[^/]+\/downloads\/.+$/,
];

/** Addresses that are texts for all clients. */
const TEXT = /^(\/([^/]+)\/[^/]+\/(?:commit\/[^/]+|merge_requests\/\d+))\.(diff|patch)$/;

/**
 * Sends requests for the page of a resource, or for its text, to their routes. Only browsers get pages; all other requests
 * stay as they are, except at `/`, which has an answer for all clients.
 */
export const toPages: RequestHandler = (request, _response, next) => {
  const { method, path } = request;
  if ((method === 'GET' || method === 'HEAD') && faceOf(request) === undefined) {
    const isPage =
      path === '/' || isBelowNamespace(path, PERMANENT) || (hasPage(path) && prefersHtml(request));
    const route = textRoute(path) ?? (isPage ? PAGES + path : path);
    if (route !== path) request.url = route + request.url.slice(path.length);
  }
  next();
};

function textRoute(path: string): string | undefined {
  const [, of, namespace = '', form] = TEXT.exec(path) ?? [];
  return of === undefined || isTaken(namespace) ? undefined : `${PATCHES}${of}/${form}`;
}

function hasPage(path: string): boolean {
  const plain = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
  if (/^\/groups\/[^/]+$/.test(plain)) return true;
  return isBelowNamespace(plain, NAMESPACE_PAGES);
}

/** Whether a path is one of some addresses, below a namespace that is their first group. */
function isBelowNamespace(path: string, addresses: readonly RegExp[]): boolean {
  const match = addresses.map((address) => address.exec(path)).find((found) => found !== null);
  return match?.[1] !== undefined && !isTaken(match[1]);
}

/** Whether no namespace has this name, since the service has other addresses there. */
const isTaken = (namespace: string): boolean =>
  namespace === PAGES_PREFIX.slice(1) || isReservedUserName(namespace);
