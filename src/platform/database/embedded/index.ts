export type { Durability } from './cluster.js';
export { DataDirLock, ensureDataDir } from './data-dir-lock.js';
export { EmbeddedPostgres, type EmbeddedPostgresOptions } from './embedded-postgres.js';
export { DataDirInUseError, EmbeddedPostgresError } from './errors.js';
export type { Logger } from './process/server-log.js';
