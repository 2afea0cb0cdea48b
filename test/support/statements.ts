import type { EventEmitter } from 'node:events';
import type pg from 'pg';
import type { DataSource, Logger } from 'typeorm';

export interface RanStatement {
  sql: string;
  parameters: unknown[];
}

/** Lists the SQL statements of an application while something is measured. */
export class Statements implements Logger {
  private recording: RanStatement[] | null = null;
  private readonly watched = new WeakSet<pg.PoolClient>();
  private roundTrips = 0;

  attach(dataSource: DataSource): void {
    dataSource.setOptions({ logger: this, logging: ['query'] });
    const { master } = dataSource.driver as unknown as { master: pg.Pool };
    master.on('acquire', (client) => this.watch(client));
  }

  /** The statements that `work` causes; other work must be at rest meanwhile. */
  async during(work: () => Promise<unknown>): Promise<string[]> {
    return (await this.ran(work)).map(({ sql }) => sql);
  }

  /** The same with their parameters. */
  async ran(work: () => Promise<unknown>): Promise<RanStatement[]> {
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
  }

  logQuery(sql: string, parameters: unknown[] = []): void {
    this.recording?.push({ sql, parameters });
  }

  logQueryError(_error: unknown, _sql: string): void {}
  logQuerySlow(): void {}
  logSchemaBuild(): void {}
  logMigration(): void {}
  log(): void {}
}
