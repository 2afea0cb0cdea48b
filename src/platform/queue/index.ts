export { exponentialBackoff, scheduledBackoff, type Backoff } from './backoff.js';
export { type JobCount, JobCounts, type JobState } from './job-counts.js';
export { JobCatalogue, jobCatalogue } from './job-catalogue.js';
export {
  defineJob,
  defineRecurringJob,
  type JobDefinition,
  type JobOptions,
  type JobRequest,
  type RecurringJobDefinition,
} from './job-definition.js';
export {
  HandlesJob,
  JobTimeLimitError,
  RetryJobLaterError,
  UnrecoverableJobError,
  type JobContext,
  type JobHandler,
} from './job-handler.js';
export { migrateQueue } from './migrate-queue.js';
export { Outbox } from './outbox.js';
export { OutboxJob } from './outbox.entity.js';
export {
  DEFAULT_TUNING,
  QUEUE_OPTIONS,
  type QueueLogger,
  type QueueOptions,
  type QueueTuning,
} from './queue-options.js';
export { QueueFactory } from './queue-factory.js';
export { QueueLifecycle } from './queue-lifecycle.js';
export { QueueModule, type QueueModuleOptions } from './queue.module.js';
