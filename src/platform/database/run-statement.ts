import type pg from 'pg';
import { QueryFailedError } from 'typeorm';

/**
 * Runs a statement on a connection and returns its rows. TypeORM's query runners do the same for half a dozen promises
 * more, each of which costs while Node follows promises (docs/decisions/0023-cheap-requests.md).
 * @throws QueryFailedError, as TypeORM does
 */
export async function runStatement<Row>(
  client: pg.ClientBase,
  sql: string,
  parameters: readonly unknown[],
): Promise<Row[]> {
  try {
    const { rows } = await client.query(sql, [...parameters]);
    return rows as Row[];
  } catch (error) {
    throw new QueryFailedError(sql, [...parameters], error as Error);
  }
}
