export { BatchedReads, SharedReads } from './shared-reads.js';
export { Database } from './database.js';
export { EntityColumns, SnakeCaseNamingStrategy } from './entity-columns.js';
export {
  type MigrationListener,
  type MigrationProgress,
  observeMigrations,
  reportMigrationProgress,
} from './migration-progress.js';
export {
  containing,
  MAX_ID,
  opaqueArray,
  opaqueValue,
  UNKNOWN_ID,
  withoutNul,
} from './parameters.js';
export { PLANNED, PLANNED_EACH_TIME, PreparingClient } from './preparing-client.js';
export { hasRoomForRow } from './row-limit.js';
export { sqlState, violatedUnique } from './sql-state.js';
export { UnitOfWork, type UnitOfWorkOptions } from './unit-of-work.js';
