import { Inject, Injectable } from '@nestjs/common';
import { BackgroundLoop } from '../../async/index.js';
import type { JobQueue } from '../backends/queue-backend.js';
import { QueueFactory } from '../backends/queue-factory.js';
import type { AnyJobDefinition } from '../jobs/job-definition.js';
import { HandlerRegistry } from '../jobs/job-handler.js';
import { OutboxRelay } from '../outbox/outbox-relay.js';
import { QUEUE_OPTIONS, type QueueOptions, type QueueTuning, tuningOf } from '../queue-options.js';
import { OutboxSweep } from './outbox-sweep.js';

const LOOK_EVERY_MS = 1_000;

/**
 * Detects jobs that the queue has lost. Every second it checks for a mark that it has written to the store. If
 * the mark is missing, the store was emptied, and all rows that were handed over are compared with the queue.
 * Single losses are found by comparing old rows from time to time.
 */
@Injectable()
export class QueueGuard {
  readonly #tuning: QueueTuning;
  readonly #loop: BackgroundLoop;
  #established = false;
  #checkAgain = false;
  #sweptAt = 0;

  constructor(
    private readonly queues: QueueFactory,
    private readonly sweep: OutboxSweep,
    private readonly registry: HandlerRegistry,
    private readonly relay: OutboxRelay,
    @Inject(QUEUE_OPTIONS) private readonly options: QueueOptions,
  ) {
    this.#tuning = tuningOf(options);
    this.#loop = new BackgroundLoop(
      Math.min(LOOK_EVERY_MS, this.#tuning.sweepEveryMs),
      () => this.#look(),
      (error) => this.queues.errors.report('guard', error),
    );
  }

  start(): void {
    this.#loop.start();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
  }

  async #look(): Promise<void> {
    if (!this.#established) {
      await this.#reconcileSchedules({ dropUnknown: true });
      this.#established = true;
    }
    if (!(await this.queues.isMarked())) {
      // Before, since the mark may be written and its confirmation lost.
      this.#checkAgain = true;
      await this.queues.markAfter(() => this.#check(0));
    } else if (this.#checkAgain) {
      // A relay may have handed rows over before the store was emptied and recorded it after the
      // check.
      await this.#check(0);
      this.#checkAgain = false;
    } else if (performance.now() - this.#sweptAt >= this.#tuning.sweepEveryMs) {
      await this.#check(this.#tuning.sweepAfterMs);
    }
  }

  async #reconcileSchedules(options: { dropUnknown: boolean }): Promise<void> {
    const definitions = this.registry.all().map(({ definition }) => definition);
    await reconcileSchedules(this.queues, definitions, options);
  }

  async #check(ageMs: number): Promise<void> {
    // Unknown schedules stay: while versions change, they belong to a newer worker that has established them.
    await this.#reconcileSchedules({ dropUnknown: false });
    const givenBack = await this.sweep.run(ageMs);
    this.#sweptAt = performance.now();
    if (givenBack === 0) return;
    this.options.logger.warn({ jobs: givenBack }, 'The queue had lost jobs: handed over again');
    this.relay.wake();
  }
}

/**
 * Adds missing schedules of recurring jobs to the queues, which hold them for all workers, and corrects changed ones.
 * @param dropUnknown whether schedules that no definition asks for are removed
 */
async function reconcileSchedules(
  queues: QueueFactory,
  definitions: readonly AnyJobDefinition[],
  { dropUnknown }: { dropUnknown: boolean },
): Promise<void> {
  for (const name of new Set(definitions.map(({ queue }) => queue))) {
    const wanted = definitions.filter(({ queue, everyMs }) => queue === name && everyMs);
    if (wanted.length === 0 && !dropUnknown) continue;
    await reconcileQueue(await queues.reach(name), wanted, dropUnknown);
  }
}

async function reconcileQueue(
  queue: JobQueue,
  wanted: readonly AnyJobDefinition[],
  dropUnknown: boolean,
): Promise<void> {
  const present = await queue.getJobSchedulers();
  for (const { name, everyMs } of wanted) {
    const scheduler = present.find(({ key }) => key === name);
    if (everyMs === undefined || Number(scheduler?.every) === everyMs) continue;
    await queue.upsertJobScheduler(name, { every: everyMs }, { name, data: {} });
  }
  if (!dropUnknown) return;
  const unknown = present.filter(({ key }) => !wanted.some(({ name }) => name === key));
  for (const { key } of unknown) await queue.removeJobScheduler(key);
}
