import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import type { Database } from '../../database/index.js';
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
  return Page.cut(rows, await boundedCount(database, query), request);
}

async function boundedCount<Entity extends ObjectLiteral>(
  database: Database,
  query: SelectQueryBuilder<Entity>,
): Promise<number> {
  const [sql, parameters] = query
    .clone()
    .orderBy()
    .select('1')
    .limit(COUNTED_ITEMS + 1)
    .getQueryAndParameters();
  const [row] = await database.rows<{ count: number }>(
    `SELECT count(*)::int AS count FROM (${sql}) AS bounded`,
    parameters,
  );
  return row?.count ?? 0;
}
