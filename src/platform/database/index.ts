export { BatchedReads, SharedReads } from './shared-reads.js';
export { FailoverClient } from './connections/failover-client.js';
export { Database } from './database.js';
export { EntityColumns, SnakeCaseNamingStrategy } from './entity-columns.js';
export {
  checked,
  inOrderOf,
  notDeleted,
  rowById,
  rowsByIds,
  rowsByKey,
  rowsWhere,
} from './lookups.js';
export {
  type MigrationListener,
  type MigrationProgress,
  observeMigrations,
  reportMigrationProgress,
} from './migration-progress.js';
export {
  asStored,
  containing,
  MAX_ID,
  opaqueArray,
  opaqueValue,
  PLANNED,
  PLANNED_EACH_TIME,
  UNKNOWN_ID,
  withoutNul,
} from './parameters.js';
export { PreparingClient, type PreparingClientConfig } from './preparing-client.js';
export { ForeignReplicaError } from './replicas/foreign-replica-error.js';
export {
  type ReplicaProblem,
  Replicas,
  type ReplicasOptions,
  type ReplicaState,
} from './replicas/replicas.js';
export { hasRoomForRow } from './row-limit.js';
export { sqlState, violatedUnique } from './sql-state.js';
export type { Statements } from './statements.js';
export { storedAs } from './stored-names.js';
export { TransactionPool, type TransactionPoolOptions } from './transaction-pool.js';
export { UnitOfWork, type UnitOfWorkOptions } from './unit-of-work.js';
export { assertUnmodified, holdUnmodified, onlyUnmodifiedSince } from './unmodified.js';
