import pg from 'pg';
import { INDEX_ORDER, type Statements } from '../statements.js';
import { FailoverClient } from './failover-client.js';

/** Runs statements on a small pool of connections, without TypeORM, whose loading takes longer than most commands. */
export class PooledStatements implements Statements {
  private readonly pool: pg.Pool;

  /** @param limitMs after which the server cancels a statement, and a connection is not waited for any more */
  constructor(url: string, limitMs: number) {
    this.pool = new pg.Pool({
      Client: FailoverClient,
      connectionString: url,
      max: 2,
      application_name: 'trellis',
      connectionTimeoutMillis: limitMs,
      statement_timeout: limitMs,
    });
    // The statement under way fails as well.
    this.pool.on('error', () => undefined);
  }

  async rows<Row>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    const { rows } = await this.pool.query(sql, [...parameters]);
    return rows as Row[];
  }

  async rowsInIndexOrder<Row>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    const client = await this.pool.connect();
    try {
      await client.query('BEGIN READ ONLY');
      await client.query(INDEX_ORDER);
      const { rows } = await client.query(sql, [...parameters]);
      await client.query('COMMIT');
      return rows as Row[];
    } finally {
      // A transaction that failed ends with its connection.
      client.release(true);
    }
  }

  close(): Promise<void> {
    return this.pool.end();
  }
}
