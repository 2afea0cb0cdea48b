export { ForeignReplicaError } from '../replicas/foreign-replica-error.js';
export { FailoverClient } from './failover-client.js';
export { containing, MAX_ID, opaqueArray, PLANNED } from '../parameters.js';
export { rowsByKey, rowsWhere } from '../lookups.js';
export { PooledStatements } from './pooled-statements.js';
export type { Statements } from '../statements.js';
