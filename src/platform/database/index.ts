export { Database } from './database.js';
export { SnakeCaseNamingStrategy } from './naming-strategy.js';
export { PreparingClient } from './preparing-client.js';
export { sqlState, violatedUnique } from './sql-state.js';
export { UnitOfWork } from './unit-of-work.js';
