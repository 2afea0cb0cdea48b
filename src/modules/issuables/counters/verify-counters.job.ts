import { Injectable, Logger } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import {
  defineRecurringJob,
  HandlesJob,
  type JobContext,
  type JobHandler,
} from '../../../platform/queue/index.js';
import { IssuableKinds } from '../kinds/issuable-kinds.js';
import type { IssuableKind, IssuableType } from '../kinds/issuable.js';
import { CountersRepository } from './counters.repository.js';

/** Verifies the counters of issues and merge requests once a day, and corrects those that are wrong. */
const verifyCounters = defineRecurringJob({
  queue: 'issues',
  name: 'verify-counters',
  everyMs: 24 * 60 * 60 * 1000,
  timeLimitMs: 60 * 60_000,
});

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
      await this.verifyTargets(kind, signal);
      await this.verifyProjects(kind.type, signal);
    }
  }

  private async verifyTargets(kind: IssuableKind, signal: AbortSignal): Promise<void> {
    for (let after: number | null = 0; after !== null;) {
      signal.throwIfAborted();
      const { wrong, last } = await this.counters.compareTargets(kind.type, after);
      for (const id of wrong) {
        const isCorrected = await this.work.run(async () => {
          await kind.lock([id]);
          return this.counters.correctTarget(kind.type, id);
        });
        if (isCorrected) this.logger.warn(`Corrected the counters of ${kind.type} ${String(id)}`);
      }
      after = last;
    }
  }

  private async verifyProjects(type: IssuableType, signal: AbortSignal): Promise<void> {
    for (let after: number | null = 0; after !== null;) {
      signal.throwIfAborted();
      const { wrong, last } = await this.counters.compareProjects(type, after);
      for (const id of wrong) {
        const isCorrected = await this.work.run(async () => {
          await this.counters.lockProject(type, id);
          return this.counters.correctProject(type, id);
        });
        if (isCorrected) this.logger.warn(`Corrected the counts of project ${String(id)}: ${type}`);
      }
      after = last;
    }
  }
}
