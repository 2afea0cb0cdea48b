import { Injectable } from '@nestjs/common';
import {
  defineRecurringJob,
  HandlesJob,
  type JobContext,
  type JobHandler,
} from '../../../platform/queue/index.js';
import { TopicsRepository } from './topics.repository.js';

/** Removes the topics that no project has any more, once a day (docs/reference/v4-topics.md). */
const removeUnusedTopics = defineRecurringJob({
  queue: 'projects',
  name: 'remove-unused-topics',
  everyMs: 24 * 60 * 60 * 1000,
  timeLimitMs: 60 * 60_000,
});

@Injectable()
@HandlesJob(removeUnusedTopics)
export class RemoveUnusedTopicsJob implements JobHandler {
  constructor(private readonly topics: TopicsRepository) {}

  async handle(_: object, { signal }: Pick<JobContext, 'signal'>): Promise<void> {
    while (await this.topics.removeSomeUnused()) signal.throwIfAborted();
  }
}
