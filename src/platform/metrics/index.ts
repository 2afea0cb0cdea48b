export {
  collectProcessMetrics,
  databaseStatements,
  endedDeliveries,
  endedJobs,
  processRegistry,
  refusedSlots,
  requestDuration,
} from './metrics.js';
