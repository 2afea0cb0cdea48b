import pg from 'pg';
import { FailoverClient } from '../../platform/database/index.js';

/** What the text of values depends on, and limits that hold for requests but not for backups. */
const SETTINGS = [
  `SET client_encoding = 'UTF8'`,
  `SET timezone = 'UTC'`,
  `SET datestyle = 'ISO'`,
  `SET intervalstyle = 'postgres'`,
  'SET extra_float_digits = 1',
  // Otherwise the rows of a large table begin anywhere, and an unchanged one is copied again.
  'SET synchronize_seqscans = off',
  'SET statement_timeout = 0',
  'SET lock_timeout = 0',
  'SET idle_in_transaction_session_timeout = 0',
  'SET idle_session_timeout = 0',
  // With it, the server also ends a connection whose client is alive and reads nothing, while the disk of the backup is slow.
  'SET tcp_user_timeout = 0',
];

/** Opens a connection without time limits. */
export async function connect(databaseUrl: string): Promise<pg.Client> {
  // If it is lost, the statement under way fails, or the next one.
  const client = new FailoverClient({
    connectionString: databaseUrl,
    application_name: 'trellis backup',
  });
  await client.connect();
  try {
    await client.query(SETTINGS.join(';'));
  } catch (error) {
    await client.end();
    throw error;
  }
  return client;
}

/** The tables that migrations create, and that hold the data of the service. The queue's schema has none. */
export const TABLES = `
  SELECT c.relname AS name, array_agg(a.attname::text ORDER BY a.attnum) AS columns
    FROM pg_class c
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
                       AND NOT a.attisdropped AND a.attgenerated = ''
   WHERE c.relnamespace = current_schema()::regnamespace
     AND c.relkind IN ('r', 'p') AND NOT c.relispartition
     AND c.relname NOT IN ('migrations', 'typeorm_metadata')
   GROUP BY c.relname ORDER BY c.relname`;

export interface Table {
  readonly name: string;
  readonly columns: readonly string[];
}

const { escapeIdentifier } = pg;

/** A table with its columns, as COPY takes them. */
export const copied = ({ name, columns }: Table): string =>
  `${escapeIdentifier(name)} (${columns.map(escapeIdentifier).join(', ')})`;
