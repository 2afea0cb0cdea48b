import type { DataSource, Logger } from 'typeorm';

/** Lists the SQL statements of an application while something is measured. */
export class Statements implements Logger {
  private recording: string[] | null = null;

  attach(dataSource: DataSource): void {
    dataSource.setOptions({ logger: this, logging: ['query'] });
  }

  /** The statements that `work` causes; other work must be at rest meanwhile. */
  async during(work: () => Promise<unknown>): Promise<string[]> {
    const statements: string[] = [];
    this.recording = statements;
    try {
      await work();
    } finally {
      this.recording = null;
    }
    return statements;
  }

  logQuery(query: string): void {
    this.recording?.push(query);
  }

  logQueryError(): void {}
  logQuerySlow(): void {}
  logSchemaBuild(): void {}
  logMigration(): void {}
  log(): void {}
}
