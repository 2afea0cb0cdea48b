export { DataDirLock } from './data-dir-lock.js';
export { EmbeddedPostgres } from './embedded-postgres.js';
export { DataDirInUseError, EmbeddedPostgresError } from './errors.js';
