import type { RequestHandler } from 'express';
import { PARSED_HEADERS } from '../../limits/index.js';

/**
 * Bounds the headers that are parsed. Node takes 16 KiB of them, and 64 requests of one connection may wait: lists of
 * thousands of items in each would cost a second of processor time. A list of preferences or validators that is too long counts
 * as none. Of the proxies that a request has passed the last ones count, and theirs is what was appended.
 */
export const boundHeaders: RequestHandler = ({ headers }, _response, next) => {
  const { preferenceCharacters, proxies } = PARSED_HEADERS;
  for (const name of ['accept', 'if-none-match'] as const) {
    if ((headers[name]?.length ?? 0) > preferenceCharacters) headers[name] = undefined;
  }
  const forwarded = headers['x-forwarded-for'];
  if (typeof forwarded === 'string') headers['x-forwarded-for'] = lastItems(forwarded, proxies);
  next();
};

/** The last items of a list that commas separate. */
function lastItems(list: string, count: number): string {
  let begin = list.length;
  for (let found = 0; found < count && begin > 0; found += 1) {
    begin = list.lastIndexOf(',', begin - 1);
  }
  return list.slice(begin + 1);
}
