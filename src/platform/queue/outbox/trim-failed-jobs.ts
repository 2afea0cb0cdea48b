import { Inject, Injectable } from '@nestjs/common';
import { defineRecurringJob } from '../jobs/job-definition.js';
import { HandlesJob, type JobContext, type JobHandler } from '../jobs/job-handler.js';
import { QUEUE_OPTIONS, tuningOf, type QueueOptions } from '../queue-options.js';
import { OutboxRepository } from './outbox.repository.js';

const BATCH = 1_000;

export const trimFailedJobs = defineRecurringJob({
  queue: 'maintenance',
  name: 'trim-failed-jobs',
  everyMs: 3_600_000,
});

/** Deletes the rows of jobs that failed permanently, after the time that they are kept for inspection. */
@Injectable()
@HandlesJob(trimFailedJobs)
export class TrimFailedJobs implements JobHandler {
  constructor(
    private readonly store: OutboxRepository,
    @Inject(QUEUE_OPTIONS) private readonly options: QueueOptions,
  ) {}

  async handle(_: Record<string, never>, { signal }: JobContext): Promise<void> {
    const { keepFailedMs } = tuningOf(this.options);
    while (!signal.aborted && (await this.store.trimFailed(keepFailedMs, BATCH)) === BATCH);
  }
}
