export { BatchedReads } from './batched-reads.js';
export { containing } from './containing.js';
export { Database } from './database.js';
export { EntityColumns } from './entity-columns.js';
export { SnakeCaseNamingStrategy } from './naming-strategy.js';
export { plannedOnce } from './planned-once.js';
export { PLANNED_EACH_TIME, PreparingClient } from './preparing-client.js';
export { sqlState, violatedUnique } from './sql-state.js';
export { UnitOfWork } from './unit-of-work.js';
