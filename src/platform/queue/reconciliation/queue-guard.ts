import { Inject, Injectable } from '@nestjs/common';
import { BackgroundLoop } from '../../async/index.js';
import { QueueFactory } from '../backends/queue-factory.js';
import { OutboxRelay } from '../outbox/outbox-relay.js';
import { QUEUE_OPTIONS, tuningOf, type QueueOptions, type QueueTuning } from '../queue-options.js';
import { OutboxSweep } from './outbox-sweep.js';
import { RecurringSchedule } from './recurring-schedule.js';

const LOOK_EVERY_MS = 1_000;

/**
 * Watches over what the queue holds. Every second it looks for a mark that it has left in the
 * store: where it is missing the store was emptied, and all that was handed over is checked at once.
 * Single losses are found by checking old rows from time to time.
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
    private readonly schedule: RecurringSchedule,
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
      await this.schedule.establish();
      this.#established = true;
    }
    if (!(await this.queues.isMarked())) {
      await this.queues.markAfter(() => this.#check(0));
      this.#checkAgain = true;
    } else if (this.#checkAgain) {
      // A relay may have handed rows over before the store was emptied and recorded it after the
      // check.
      this.#checkAgain = false;
      await this.#check(0);
    } else if (performance.now() - this.#sweptAt >= this.#tuning.sweepEveryMs) {
      await this.#check(this.#tuning.sweepAfterMs);
    }
  }

  async #check(ageMs: number): Promise<void> {
    await this.schedule.restore();
    const givenBack = await this.sweep.run(ageMs);
    this.#sweptAt = performance.now();
    if (givenBack === 0) return;
    this.options.logger.warn({ jobs: givenBack }, 'The queue had lost jobs: handed over again');
    this.relay.wake();
  }
}
