import type { RequestHandler } from 'express';
import { PAGES_PREFIX, prefersHtml } from '../../../platform/http/index.js';

/** Where the routes of pages lie: at the addresses themselves, they would take requests of other clients. */
const ROUTES = `${PAGES_PREFIX}/pages`;

/** Addresses that have a page. */
const PAGES = [/^\/$/];

/** Sends browsers at the address of a resource to the route of its page. All other requests stay as they are. */
export const toPages: RequestHandler = (request, _response, next) => {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (isRead && PAGES.some((page) => page.test(request.path)) && prefersHtml(request)) {
    request.url = ROUTES + request.url;
  }
  next();
};
