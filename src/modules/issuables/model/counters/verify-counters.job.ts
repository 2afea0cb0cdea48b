import { Injectable, Logger } from '@nestjs/common';
import { UnitOfWork } from '../../../../platform/database/index.js';
import {
  defineRecurringJob,
  HandlesJob,
  type JobContext,
  type JobHandler,
} from '../../../../platform/queue/index.js';
import { IssuableKinds } from '../issuable-kinds.js';
import { type Compared, CountersRepository } from './counters.repository.js';

/** Verifies the counters of issues, merge requests, projects and labels once a day, and corrects those that are wrong. */
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
    for await (const wrong of this.findWrong({ corrects: true, signal })) {
      this.logger.warn(`Corrected ${wrong}`);
    }
  }

  /** Yields descriptions of wrong counters. @param options.corrects whether they are counted again */
  async *findWrong(options: { corrects: boolean; signal: AbortSignal }): AsyncGenerator<string> {
    for (const kind of this.kinds.all) {
      const { type } = kind;
      yield* this.verify(options, {
        compare: (after) => this.counters.compareTargets(type, after),
        lock: (id) => kind.lock([id]),
        correct: (id) => this.counters.correctTarget(type, id),
        describe: (id) => `the counters of ${type} ${String(id)}`,
      });
      yield* this.verify(options, {
        compare: (after) => this.counters.compareProjects(type, after),
        lock: (id) => this.counters.lockProject(type, id),
        correct: (id) => this.counters.correctProject(type, id),
        describe: (id) => `the counts of project ${String(id)}: ${type}`,
      });
    }
    yield* this.verify(options, {
      compare: (after) => this.counters.compareLabels(after),
      lock: (id) => this.counters.lockLabel(id),
      correct: (id) => this.counters.correctLabel(id),
      describe: (id) => `the counts of label ${String(id)}`,
    });
  }

  private async *verify(
    { corrects, signal }: { corrects: boolean; signal: AbortSignal },
    counters: VerifiedCounters,
  ): AsyncGenerator<string> {
    for (let after: number | null = 0; after !== null;) {
      signal.throwIfAborted();
      const { wrong, last }: Compared = await counters.compare(after);
      for (const id of wrong) {
        const isWrong = await (corrects ? this.correct(id, counters) : isStillWrong(id, counters));
        if (isWrong) yield counters.describe(id);
      }
      after = last;
    }
  }

  private correct(id: number, counters: VerifiedCounters): Promise<boolean> {
    return this.work.run(async () => {
      await counters.lock(id);
      return counters.correct(id);
    });
  }
}

/** Compares again what a concurrent write may have made look wrong. */
async function isStillWrong(id: number, counters: VerifiedCounters): Promise<boolean> {
  return (await counters.compare(id - 1)).wrong.includes(id);
}
