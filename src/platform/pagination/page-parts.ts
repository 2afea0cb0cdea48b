import { LISTED_TEXT_BYTES, TEXT_BYTES_PER_PART } from '../limits/index.js';
import type { Page } from './page.js';

/** A row of which a list knows how long its texts are, but perhaps not yet the texts. */
export interface SizedRow {
  readonly id: number;
  readonly textBytes: number;
}

/**
 * Makes the items of a page in parts, so that a page of long texts is never in memory as a whole: as many
 * rows as have `LISTED_TEXT_BYTES` of text at once, the others `TEXT_BYTES_PER_PART` at a time while the
 * answer is sent. A row with more is a part by itself.
 *
 * @param bytesOf bytes of text that the item of a row will hold
 * @param describe makes items of rows, and loads what these lack; it may leave some out
 */
export async function describeInParts<Row, Item>(
  page: Page<Row>,
  bytesOf: (row: Row) => number,
  describe: (rows: readonly Row[]) => Promise<readonly Item[]>,
): Promise<Page<Item>> {
  const { items } = page;
  const first = partAt(items, 0, bytesOf, LISTED_TEXT_BYTES);
  const described = first.length === 0 ? [] : await describe(first);
  const isWhole = first.length === items.length;
  const rest = async function* (): AsyncGenerator<readonly Item[]> {
    for (let at = first.length; at < items.length;) {
      const part = partAt(items, at, bytesOf, TEXT_BYTES_PER_PART);
      const rows = part.length === 0 ? items.slice(at, at + 1) : part;
      yield describe(rows);
      at += rows.length;
    }
  };
  return page.withItems(described, isWhole ? null : rest);
}

/** The rows from an offset on that have no more text than `limit` together; perhaps none. */
function partAt<Row>(
  rows: readonly Row[],
  from: number,
  bytesOf: (row: Row) => number,
  limit: number,
): readonly Row[] {
  let end = from;
  let bytes = 0;
  for (const row of rows.slice(from)) {
    bytes += bytesOf(row);
    if (bytes > limit) break;
    end += 1;
  }
  return rows.slice(from, end);
}

/**
 * Columns of a list's statement for a text that may be long: the text of the first rows, as far as it has
 * `LISTED_TEXT_BYTES` together, and null for the others; PostgreSQL does not even read the texts of these.
 * @param order of the list, as SQL
 */
export const firstTexts = (text: string, order: string): string => `
  CASE WHEN octet_length(${text}) = 0
         OR sum(octet_length(${text})) OVER (ORDER BY ${order}) <= ${String(LISTED_TEXT_BYTES)}
       THEN ${text} END`;

/**
 * Whether a row of a list's statement belongs to the first part of its page (`describeInParts`).
 * @param bytes a column or expression with the bytes of text that the item of a row will hold
 * @param order of the list, as SQL
 */
export const inFirstPart = (bytes: string, order: string): string =>
  `sum(${bytes}) OVER (ORDER BY ${order}) <= ${String(LISTED_TEXT_BYTES)}`;
