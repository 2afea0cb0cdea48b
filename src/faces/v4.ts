import type { Urls } from '../platform/config/index.js';
import { ApiFace, pageHeaders, type SuccessStatus } from '../platform/http/index.js';
import { V3 } from './v3.js';
import { EMPTY_ROUTES } from './v4-resources.js';

const STATUS: Readonly<Record<string, SuccessStatus>> = { POST: 201, DELETE: 204 };

/** Version 4, at `/api/v4`. Its paths have no suffix: `package.json` at their end is the name of a file. */
export const V4 = new ApiFace({
  name: 'v4',
  document: 'openapi-v4.json',
  statusOf: (verb) => STATUS[verb] ?? 200,
  refusesUnknownTokens: true,
  hasErrorCodes: true,
  pageHeaders,
  readOnly: EMPTY_ROUTES.map(({ path }) => path),
  answersLike: V3,
});

/** Returns an address of version 4 that has these segments below `/api/v4`. */
export const v4Address = (urls: Urls, ...segments: string[]): string =>
  urls.web(...V4.prefix.slice(1).split('/'), ...segments);

/**
 * Makes a class a controller of version 4.
 * @param path relative to `/api/v4`
 * @param operations begins the ids of its operations in the interface document
 */
export const V4Controller = (path: string, operations: string): ClassDecorator =>
  V4.controller(path, operations);
