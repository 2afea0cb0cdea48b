import pg from 'pg';
import type { DataSource, QueryRunner } from 'typeorm';
import { PreparingClient, type PreparingClientConfig } from './preparing-client.js';
import { queryRunnerOn } from './typeorm-internals.js';

export interface TransactionPoolOptions {
  readonly url: string;
  /** The most connections, with one for detached statements. */
  readonly size: number;
  readonly client: PreparingClientConfig;
}

/**
 * A second pool, for units of work that hold their connection while something other than the database works: those of
 * the shared pool stay free for statements. What such a unit runs detached uses this pool as well, since the shared one may
 * be full of statements that wait for the locks of the unit. Connections are opened when they are needed, and closed when
 * they are idle.
 */
export class TransactionPool {
  readonly size: number;
  private readonly pool: pg.Pool;

  constructor(
    private readonly dataSource: DataSource,
    { url, size, client }: TransactionPoolOptions,
  ) {
    this.size = size;
    this.pool = new pg.Pool({
      ...client,
      connectionString: url,
      Client: PreparingClient,
      max: size,
    });
    // An idle connection that ends; the next one is made anew.
    this.pool.on('error', () => undefined);
  }

  connect(): Promise<pg.PoolClient> {
    return this.pool.connect();
  }

  createQueryRunner(): QueryRunner {
    return queryRunnerOn(this.dataSource, this.pool);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool.end();
  }
}
