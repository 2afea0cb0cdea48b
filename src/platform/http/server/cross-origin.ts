import type { Request, RequestHandler } from 'express';
import { isBelow } from '../face/api-face.js';
import { faceOf } from '../face/request-face.js';

/** Lets pages of any origin read an answer with its headers. Browsers refuse `*` for requests with cookies. */
export const CROSS_ORIGIN_HEADERS = [
  ['Access-Control-Allow-Origin', '*'],
  ['Access-Control-Expose-Headers', '*'],
] as const;

/** Includes methods without a route, so that a page sees their 405. */
const METHODS = 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT';
/** For how long browsers send no other preflight; Chromium takes no more. */
const PREFLIGHT_SECONDS = 7200;
/** Names of headers, by comma. `*` does not stand for all of them, since it leaves out `Authorization`. */
const HEADER_NAMES = /^[\w!#$%&'*+.^`|~, -]{1,1024}$/;

/**
 * Lets pages of any origin use the API (docs/reference/conventions.md#requests-of-other-origins). Comes before whatever
 * may refuse a request: a browser discloses no answer without these headers.
 */
export const crossOriginHeaders: RequestHandler = (request, response, next) => {
  if (isOpen(request)) {
    for (const [name, value] of CROSS_ORIGIN_HEADERS) response.setHeader(name, value);
  }
  next();
};

/** Answers preflights of the API, whatever the path: a page is told what is wrong with it by the answer to its request. */
export const preflightAnswer: RequestHandler = (request, response, next) => {
  const { method, headers } = request;
  const isPreflight = method === 'OPTIONS' && 'access-control-request-method' in headers;
  if (!isPreflight || !isOpen(request)) {
    next();
    return;
  }
  response.setHeader('Access-Control-Allow-Methods', METHODS);
  response.setHeader('Access-Control-Max-Age', PREFLIGHT_SECONDS);
  const asked = headers['access-control-request-headers'] ?? '';
  if (HEADER_NAMES.test(asked)) response.setHeader('Access-Control-Allow-Headers', asked);
  response.setHeader('Content-Length', 0);
  response.end();
};

/** The explorer is a page, although it lies below the prefix of the API. */
function isOpen(request: Request): boolean {
  const face = faceOf(request);
  return face !== undefined && !isBelow(face.explorerPath, request.path);
}
