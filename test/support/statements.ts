import type { DataSource, Logger } from 'typeorm';

export interface RanStatement {
  sql: string;
  parameters: unknown[];
}

/** Lists the SQL statements of an application while something is measured. */
export class Statements implements Logger {
  private recording: RanStatement[] | null = null;

  attach(dataSource: DataSource): void {
    dataSource.setOptions({ logger: this, logging: ['query'] });
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

  logQuery(sql: string, parameters: unknown[] = []): void {
    this.recording?.push({ sql, parameters });
  }

  logQueryError(_error: unknown, _sql: string): void {}
  logQuerySlow(): void {}
  logSchemaBuild(): void {}
  logMigration(): void {}
  log(): void {}
}
