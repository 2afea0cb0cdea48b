export { migrateQueue } from './backends/postgres-backend.js';
export { QueueFactory } from './backends/queue-factory.js';
export {
  exponentialBackoff,
  JobTimeLimitError,
  RetryJobLaterError,
  UnrecoverableJobError,
} from './jobs/failures.js';
export {
  defineJob,
  defineRecurringJob,
  JobCatalogue,
  type JobRequest,
} from './jobs/job-definition.js';
export { CONFIRMED, HandlesJob, type JobContext, type JobHandler } from './jobs/job-handler.js';
export {
  type FailedJob,
  FailedJobsRepository,
  type JobDetail,
  type JobName,
} from './outbox/failed-jobs.repository.js';
export type { JobCount } from './outbox/count-jobs.query.js';
export { Outbox } from './outbox/outbox.js';
export { confirmJobs, type JobState } from './outbox/outbox.sql.js';
export { OutboxJob } from './outbox/outbox.entity.js';
export type { JobDefinition } from './jobs/job-definition.js';
export { JobSlots } from './running/job-slots.js';
export { QueueLifecycle } from './queue-lifecycle.js';
export type { QueueLogger, QueueOptions, QueueTuning } from './queue-options.js';
export { QueueModule } from './queue.module.js';
