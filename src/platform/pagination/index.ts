// Pages of lists: what a caller asks for, and the part of a list that is answered.
export {
  COUNTED_ITEMS,
  type FirstPage,
  type FollowingPage,
  mapPage,
  mapPageInParts,
  Page,
  type PageNumbers,
  type PageRequest,
  plainRequest,
  preparedRows,
  windowOf,
} from './page.js';
export { type CursorValues, readCursor, toCursor } from './cursor.js';
export { describeInParts, firstTexts, inFirstPart, type SizedRow } from './page-parts.js';
export { boundedCount, countOfRows, pageOfQuery, sizedPageOfQuery } from './query-page.js';
