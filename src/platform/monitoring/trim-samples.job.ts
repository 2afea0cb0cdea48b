import { Injectable } from '@nestjs/common';
import {
  defineRecurringJob,
  HandlesJob,
  type JobContext,
  type JobHandler,
} from '../queue/index.js';
import { ProcessesRepository } from './processes.repository.js';

/** Samples that one statement deletes. */
const BATCH = 1_000;

export const trimProcessSamples = defineRecurringJob({
  queue: 'maintenance',
  name: 'trim-process-samples',
  everyMs: 60 * 60_000,
});

/** Deletes samples that no chart shows any more. */
@Injectable()
@HandlesJob(trimProcessSamples)
export class TrimProcessSamplesJob implements JobHandler {
  constructor(private readonly processes: ProcessesRepository) {}

  async handle(_: Record<string, never>, { signal }: Pick<JobContext, 'signal'>): Promise<void> {
    while (!signal.aborted && (await this.processes.trimSamples(BATCH)) === BATCH);
  }
}
