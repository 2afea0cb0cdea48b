import { Client, escapeIdentifier, escapeLiteral } from 'pg';
import { SUPERUSER } from './cluster.js';
import { EmbeddedPostgresError } from './errors.js';

/** The role the service works as, and the name of its database. */
export const SERVICE = 'trellis';

const WRONG_PASSWORD = '28P01';

/** Address of a database on the loopback interface. */
export function addressOf(port: number, user: string, password: string, database: string): string {
  return `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${encodeURIComponent(database)}`;
}

async function connect(port: number, password: string): Promise<Client> {
  const client = new Client({
    connectionString: addressOf(port, SUPERUSER, password, 'postgres'),
  });
  try {
    await client.connect();
    return client;
  } catch (error) {
    if ((error as { code?: string }).code !== WRONG_PASSWORD) throw error;
    throw new EmbeddedPostgresError(
      'DATA_DIR/postgres.password does not belong to the database beside it. Remove that file: the next start sets a new password.',
      { cause: error },
    );
  }
}

/**
 * Makes the service's role and database unless they are there. The role is no superuser: it may
 * make databases, but neither read files nor run programs through the server.
 */
export async function ensureServiceDatabase(
  port: number,
  superuserPassword: string,
  password: string,
): Promise<void> {
  const client = await connect(port, superuserPassword);
  try {
    const role = escapeIdentifier(SERVICE);
    const known = await client.query('SELECT FROM pg_roles WHERE rolname = $1', [SERVICE]);
    const verb = known.rowCount === 0 ? 'CREATE' : 'ALTER';
    await client.query(`${verb} ROLE ${role} LOGIN CREATEDB PASSWORD ${escapeLiteral(password)}`);
    const present = await client.query('SELECT FROM pg_database WHERE datname = $1', [SERVICE]);
    if (present.rowCount === 0) await client.query(`CREATE DATABASE ${role} OWNER ${role}`);
  } finally {
    await client.end();
  }
}
