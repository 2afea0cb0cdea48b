import { Injectable } from '@nestjs/common';
import {
  defineRecurringJob,
  HandlesJob,
  type JobContext,
  type JobHandler,
} from '../queue/index.js';
import { ProcessStatisticsRepository } from './process-statistics.repository.js';

/** Rows that one statement deletes. */
const BATCH = 1_000;

export const trimProcessStatistics = defineRecurringJob({
  queue: 'maintenance',
  name: 'trim-process-statistics',
  everyMs: 60 * 60_000,
});

/** Deletes statistics that no chart shows any more. */
@Injectable()
@HandlesJob(trimProcessStatistics)
export class TrimProcessStatisticsJob implements JobHandler {
  constructor(private readonly statistics: ProcessStatisticsRepository) {}

  async handle(_: Record<string, never>, { signal }: Pick<JobContext, 'signal'>): Promise<void> {
    while (!signal.aborted && (await this.statistics.trim(BATCH)) === BATCH);
  }
}
