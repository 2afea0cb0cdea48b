import { opaqueValue, PLANNED } from '../../../platform/database/index.js';
import {
  COUNTED_ITEMS,
  firstTexts,
  inFirstPart,
  type PageRequest,
  preparedRows,
  windowOf,
} from '../../../platform/pagination/index.js';
import { ISSUABLE_TABLES, type IssuableType } from '../model/issuable.js';
import { isSubscribed } from './issuable-relations.sql.js';

export interface ListStatement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/** The order of a list; at equal times by ID in the same direction. */
export interface ListOrder {
  readonly by: 'created_at' | 'updated_at';
  readonly direction: 'asc' | 'desc';
}

export const NEWEST_FIRST: ListOrder = { by: 'created_at', direction: 'desc' };

interface ListPage {
  readonly type: IssuableType;
  /** Those of a row `t`, its project `p` and its namespace `n`, without the description. */
  readonly columns: string;
  /** A `FROM` clause with `id` and time `at` of the first rows `top` of the list, as many as are asked for. */
  readonly tops: (count: number) => string;
  readonly order: ListOrder;
  readonly request: PageRequest;
  /** Makes a parameter of a value. */
  readonly parameter: (value: unknown) => string;
  /** Null for anonymous readers. */
  readonly readerId: number | null;
}

/**
 * Selects a page of a list, and the next row if there is one: with the descriptions of the first rows, and the length of
 * all texts in responses. The first rows are cut by a number in the text, so that a page is expected to be short; a parameter would
 * be taken for a tenth of all rows.
 */
export function pageOfIssuables(page: ListPage): string {
  const { type, columns, tops, order, request, parameter, readerId } = page;
  const { direction } = order;
  const { offset, limit } = windowOf(request);
  const rows = preparedRows(request);
  const end = rows ?? offset + limit;
  const byTime = `at ${direction}, id ${direction}`;
  const ofPage = `page.at ${direction}, page.id ${direction}`;
  const reader = opaqueValue(parameter(readerId), 'int');
  return `${rows === null ? PLANNED : ''}
    SELECT ${columns}, ${firstTexts('t.description', ofPage)} AS description,
           ${TEXT_BYTES} AS "textBytes", ${inFirstPart(TEXT_BYTES, ofPage)} AS "hasRelations",
           ${isSubscribed('t', type, reader)} AS subscribed
      FROM (SELECT * FROM (SELECT top.id, top.at ${tops(end)} ORDER BY ${byTime} LIMIT ${String(end)}) first
             ORDER BY ${byTime} LIMIT ${parameter(limit)} OFFSET ${parameter(offset)}) page
      ${rowOf(ISSUABLE_TABLES[type], 'page.id')} t
      JOIN projects p ON p.id = t.project_id
      JOIN namespaces n ON n.id = p.namespace_id
      LEFT JOIN milestones milestone ON milestone.id = t.milestone_id
     ORDER BY ${ofPage}`;
}

const TEXT_BYTES = `
  (coalesce(octet_length(t.description), 0) + coalesce(octet_length(milestone.description), 0))::int`;

/** Joins the row of each of a few IDs by primary key. A plain join is planned for far more rows. */
export const rowOf = (table: string, id: string): string =>
  `CROSS JOIN LATERAL (SELECT * FROM ${table} one WHERE one.id = ${id} LIMIT 1)`;

/**
 * Counts the rows of a list as `count`, up to the highest total that responses have.
 * @param tops as for a page, of the list in the order `NEWEST_FIRST`: an index is read, and the statement is planned once
 */
export function countOfIssuables(tops: (count: number) => string): string {
  const most = COUNTED_ITEMS + 1;
  return `
    SELECT count(*)::int AS count FROM (SELECT 1 ${tops(most)} LIMIT ${String(most)}) AS bounded`;
}

/** Selects the descriptions of some rows. @param $1 their IDs */
export const descriptionsOf = (type: IssuableType): string =>
  `SELECT id, description FROM ${ISSUABLE_TABLES[type]} WHERE id = ANY($1::int[])`;
