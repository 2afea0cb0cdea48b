import type pg from 'pg';
import { FailoverClient } from '../../platform/database/connections/index.js';
import { PROBE_LIMIT_MS } from './time-limit.js';

/**
 * Opens a connection whose queries have the time limit of probes.
 * @throws Error when the server cannot be reached or does not answer within the time limit
 */
export async function openConnection(url: string): Promise<pg.Client> {
  const client = new FailoverClient({
    connectionString: url,
    connectionTimeoutMillis: PROBE_LIMIT_MS,
    query_timeout: PROBE_LIMIT_MS,
    application_name: 'trellis',
  });
  // A connection that fails is closed by that.
  await client.connect();
  return client;
}
