import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import type { Database } from '../database/index.js';
import type { SizedRow } from './page-parts.js';
import { COUNTED_ITEMS, Page, type PageRequest, windowOf } from './page.js';

/**
 * One page of an ordered query's entities: a statement for the rows and one for their number, which
 * counts no further than totals are reported, so that a long list costs no more than a short one.
 */
export async function pageOfQuery<Entity extends ObjectLiteral>(
  database: Database,
  query: SelectQueryBuilder<Entity>,
  request: PageRequest,
): Promise<Page<Entity>> {
  const { offset, limit } = windowOf(request);
  const rows = await query.clone().offset(offset).limit(limit).getMany();
  return Page.cut(rows, await countOf(database, query), request);
}

/**
 * As `pageOfQuery`, with the ids of the entities and the length of a text that each of them has.
 * @param alias of the entity in the query; it has a column `id`
 * @param text the column with the text
 */
export async function sizedPageOfQuery<Entity extends ObjectLiteral>(
  database: Database,
  query: SelectQueryBuilder<Entity>,
  { alias, text }: { alias: string; text: string },
  request: PageRequest,
): Promise<Page<SizedRow>> {
  const { offset, limit } = windowOf(request);
  const rows = await query
    .clone()
    .select(`${alias}.id`, 'id')
    .addSelect(`coalesce(octet_length(${alias}.${text}), 0)`, 'textBytes')
    .offset(offset)
    .limit(limit)
    .getRawMany<SizedRow>();
  return Page.cut(rows, await countOf(database, query), request);
}

function countOf<Entity extends ObjectLiteral>(
  database: Database,
  query: SelectQueryBuilder<Entity>,
): Promise<number> {
  const [sql, parameters] = query.clone().orderBy().select('1').getQueryAndParameters();
  return boundedCount(database, sql, parameters);
}

/**
 * Counts the rows of a query, exactly up to `COUNTED_ITEMS`; a larger result means "more".
 * @param rowsSql a query without `LIMIT`, preferably without `ORDER BY`
 */
export async function boundedCount(
  database: Database,
  rowsSql: string,
  parameters: readonly unknown[],
): Promise<number> {
  const [row] = await database.rows<{ count: number }>(countOfRows(rowsSql), parameters);
  return row?.count ?? 0;
}

/** The statement of `boundedCount`: one row with the column `count`. */
export const countOfRows = (rowsSql: string): string => `
  SELECT count(*)::int AS count FROM (${rowsSql} LIMIT ${String(COUNTED_ITEMS + 1)}) AS bounded`;
