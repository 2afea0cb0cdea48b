import type { Config } from './config.js';
import { ConfigError } from './parse.js';

/**
 * The database address for a process that runs apart from others, which all need the same one.
 * @throws ConfigError when none is configured
 */
export function requireDatabaseUrl(config: Config, role: string): string {
  if (config.database.url !== undefined) return config.database.url;
  throw new ConfigError([
    `DATABASE_URL is unset, but the ${role} process needs it: the embedded PostgreSQL serves the all-in-one process only`,
  ]);
}
