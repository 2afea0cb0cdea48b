export { migrateQueue } from './backends/postgres-backend.js';
export { QueueFactory } from './backends/queue-factory.js';
export {
  type Backoff,
  exponentialBackoff,
  JobTimeLimitError,
  RetryJobLaterError,
  UnrecoverableJobError,
} from './jobs/failures.js';
export {
  defineJob,
  defineRecurringJob,
  JobCatalogue,
  type JobDefinition,
  type JobOptions,
  type JobRequest,
  type RecurringJobDefinition,
} from './jobs/job-definition.js';
export { HandlesJob, type JobContext, type JobHandler } from './jobs/job-handler.js';
export { type JobCount, type JobState, Outbox } from './outbox/outbox.js';
export { OutboxJob } from './outbox/outbox.entity.js';
export { QueueLifecycle } from './queue-lifecycle.js';
export {
  QUEUE_OPTIONS,
  type QueueLogger,
  type QueueOptions,
  type QueueTuning,
} from './queue-options.js';
export { QueueModule, type QueueModuleOptions } from './queue.module.js';
