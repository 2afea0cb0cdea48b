export {
  collectProcessMetrics,
  databaseStatements,
  processRegistry,
  refusedSlots,
  requestDuration,
} from './metrics.js';
