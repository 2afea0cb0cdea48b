import { runMigrations } from 'bullmq';
import pg from 'pg';

/**
 * Creates or updates the schema `bullmq` for queues in PostgreSQL; does nothing when it is up to
 * date. Processes that start at the same time wait for each other by an advisory lock.
 */
export async function migrateQueue(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'trellis' });
  await client.connect();
  try {
    await runMigrations(client);
  } finally {
    await client.end();
  }
}
