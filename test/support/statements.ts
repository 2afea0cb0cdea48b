import type { EventEmitter } from 'node:events';
import type pg from 'pg';
import type { DataSource } from 'typeorm';
import type { TransactionPool } from '../../src/platform/database/index.js';

export interface RanStatement {
  sql: string;
  parameters: unknown[];
}

/** Lists the SQL statements of an application while something is measured. */
export class Statements {
  private recording: RanStatement[] | null = null;
  private readonly watched = new WeakSet<pg.PoolClient>();
  private roundTrips = 0;

  /** @param runsJobs whether jobs run: their statements could not be distinguished from those of what is measured */
  constructor(private readonly runsJobs = false) {}

  attach(dataSource: DataSource): void {
    const { master } = dataSource.driver as unknown as { master: pg.Pool };
    this.attachPool(master);
  }

  /** Watches the pool of work under push locks, too. */
  attachPushes(pushes: TransactionPool): void {
    this.attachPool((pushes as unknown as { pool: pg.Pool }).pool);
  }

  private attachPool(pool: pg.Pool): void {
    pool.on('acquire', (client) => this.watch(client));
  }

  /** The statements that `work` causes; other work must be at rest meanwhile. */
  async during(work: () => Promise<unknown>): Promise<string[]> {
    return (await this.ran(work)).map(({ sql }) => sql);
  }

  /** The same with their parameters. */
  async ran(work: () => Promise<unknown>): Promise<RanStatement[]> {
    if (this.runsJobs) throw new Error('Statements of jobs would be listed: run no jobs');
    const statements: RanStatement[] = [];
    this.recording = statements;
    try {
      await work();
    } finally {
      this.recording = null;
    }
    return statements;
  }

  /** Counts the statements that `work` causes, and how often it waits for PostgreSQL to answer some of them. */
  async costOf(work: () => Promise<unknown>): Promise<{ statements: number; roundTrips: number }> {
    const before = this.roundTrips;
    const statements = (await this.ran(work)).length;
    return { statements, roundTrips: this.roundTrips - before };
  }

  private watch(client: pg.PoolClient): void {
    if (this.watched.has(client)) return;
    this.watched.add(client);
    const { connection } = client as unknown as { connection: EventEmitter };
    connection.on('readyForQuery', () => (this.roundTrips += 1));
    const query = client.query.bind(client) as (sql: unknown, ...rest: unknown[]) => unknown;
    const recorded = (sql: unknown, ...rest: unknown[]): unknown => {
      const [parameters] = rest;
      if (typeof sql !== 'string') return query(sql, ...rest);
      this.recording?.push({ sql, parameters: Array.isArray(parameters) ? parameters : [] });
      const result = query(sql, ...rest);
      Promise.resolve(result).catch((error: unknown) => this.noteFailure(error, sql));
      return result;
    };
    client.query = recorded as typeof client.query;
  }

  /** Called for each statement that fails, for tests that watch for some failure. */
  noteFailure(_error: unknown, _sql: string): void {}
}
