import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../../ormconfig.js';
import { AuditLog, type AuditRecord } from '../modules/audit/index.js';
import { Database } from '../platform/database/index.js';

/** Records what a command that opens no modules has done in the audit log of a database that is up to date. */
export async function recordCommand(databaseUrl: string, record: AuditRecord): Promise<void> {
  const settings = { url: databaseUrl, poolSize: 1, statementTimeoutMs: 30_000 };
  const dataSource = await new DataSource(dataSourceOptions(settings)).initialize();
  try {
    const audit = new AuditLog(new Database(dataSource));
    audit.actAsCommandLine();
    await audit.record(record);
  } finally {
    await dataSource.destroy();
  }
}
