export {
  collectProcessMetrics,
  databaseStatements,
  deliveryDuration,
  jobDuration,
  processRegistry,
  refusedSlots,
  requestDuration,
} from './metrics.js';
