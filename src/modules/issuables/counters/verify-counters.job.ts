import { Injectable, Logger } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import {
  defineRecurringJob,
  HandlesJob,
  type JobContext,
  type JobHandler,
} from '../../../platform/queue/index.js';
import { IssuableKinds } from '../kinds/issuable-kinds.js';
import { type Compared, CountersRepository } from './counters.repository.js';

/** Verifies the counters of issues and merge requests once a day, and corrects those that are wrong. */
const verifyCounters = defineRecurringJob({
  queue: 'issues',
  name: 'verify-counters',
  everyMs: 24 * 60 * 60 * 1000,
  timeLimitMs: 60 * 60_000,
});

/** The counters of one table, by the ID of what they belong to. */
interface VerifiedCounters {
  compare: (after: number) => Promise<Compared>;
  lock: (id: number) => Promise<unknown>;
  correct: (id: number) => Promise<boolean>;
  describe: (id: number) => string;
}

/** Triggers maintain the counters; a wrong one is a fault and is logged. */
@Injectable()
@HandlesJob(verifyCounters)
export class VerifyCountersJob implements JobHandler {
  private readonly logger = new Logger(VerifyCountersJob.name);

  constructor(
    private readonly work: UnitOfWork,
    private readonly counters: CountersRepository,
    private readonly kinds: IssuableKinds,
  ) {}

  async handle(_payload: object, { signal }: Pick<JobContext, 'signal'>): Promise<void> {
    for (const kind of this.kinds.all) {
      const { type } = kind;
      await this.verify(signal, {
        compare: (after) => this.counters.compareTargets(type, after),
        lock: (id) => kind.lock([id]),
        correct: (id) => this.counters.correctTarget(type, id),
        describe: (id) => `the counters of ${type} ${String(id)}`,
      });
      await this.verify(signal, {
        compare: (after) => this.counters.compareProjects(type, after),
        lock: (id) => this.counters.lockProject(type, id),
        correct: (id) => this.counters.correctProject(type, id),
        describe: (id) => `the counts of project ${String(id)}: ${type}`,
      });
    }
  }

  private async verify(signal: AbortSignal, counters: VerifiedCounters): Promise<void> {
    for (let after: number | null = 0; after !== null;) {
      signal.throwIfAborted();
      const { wrong, last } = await counters.compare(after);
      for (const id of wrong) {
        const isCorrected = await this.work.run(async () => {
          await counters.lock(id);
          return counters.correct(id);
        });
        if (isCorrected) this.logger.warn(`Corrected ${counters.describe(id)}`);
      }
      after = last;
    }
  }
}
