import { Inject, Injectable } from '@nestjs/common';
import { BackgroundLoop } from '../../async/index.js';
import { groupBy } from '../../collections/index.js';
import { UnitOfWork } from '../../database/index.js';
import { QueueFactory } from '../backends/queue-factory.js';
import { jobCatalogue } from '../jobs/job-definition.js';
import { QUEUE_OPTIONS, tuningOf, type QueueOptions } from '../queue-options.js';
import { type Backlog, type FairLimits, FairJobsRepository } from './fair-jobs.repository.js';
import { jobIdOf, OutboxRepository, type OutboxRow } from './outbox.repository.js';

const CHANNEL = 'outbox';
/** While a backlog waits, the relay looks for what the queue has room for; less often where looking takes long. */
const BACKLOG_PAUSE_MS = 100;
const BACKLOG_PAUSE_PER_MS = 4;

/**
 * Hands rows of the outbox over to the queue: woken by the notification of an insert, and by a timer
 * for delayed rows and lost notifications. Of fair kinds of jobs it hands over as many as the queue has room for, by turns of
 * their keys. Any number of relays work side by side. One that dies
 * between handing over and recording it leaves the rows to the next, which repeats the same ids.
 */
@Injectable()
export class OutboxRelay {
  readonly #batch: number;
  readonly #fairLimits: FairLimits;
  readonly #loop: BackgroundLoop;
  readonly #notified = (channel: string): void => {
    if (channel === CHANNEL) this.wake();
  };
  readonly #wake = (): void => this.wake();
  #backlogTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly store: OutboxRepository,
    private readonly fairJobs: FairJobsRepository,
    private readonly unitOfWork: UnitOfWork,
    private readonly queues: QueueFactory,
    @Inject(QUEUE_OPTIONS) options: QueueOptions,
  ) {
    const tuning = tuningOf(options);
    this.#batch = tuning.relayBatch;
    this.#fairLimits = { window: tuning.fairWindow, share: tuning.fairShare };
    this.#loop = new BackgroundLoop(
      tuning.relayPollMs,
      () => this.#relayAll(),
      (error) => this.queues.errors.report('relay', error),
    );
  }

  start(): void {
    const { listener } = this.queues;
    listener.on('notification', this.#notified);
    listener.on('connected', this.#wake);
    // Without the listener the timer still moves the rows, and the listener tries again by itself.
    listener.listen(CHANNEL).catch((error: unknown) => this.queues.errors.report('relay', error));
    this.#loop.start();
  }

  /** Looks for rows immediately. */
  wake(): void {
    this.#loop.wake();
  }

  /** Resolves when the batch under way is through. */
  async stop(): Promise<void> {
    this.queues.listener.off('notification', this.#notified);
    this.queues.listener.off('connected', this.#wake);
    await this.#loop.stop();
    clearTimeout(this.#backlogTimer);
  }

  /** Moves one batch in one transaction. */
  relayBatch(): Promise<RelayedBatch> {
    return this.unitOfWork.run(async () => {
      const fairKinds = jobCatalogue.all().filter(({ fair }) => fair);
      const [plain, backlogs] = await Promise.all([
        this.store.claimDue(this.#batch),
        this.fairJobs.measure(fairKinds, this.#fairLimits),
      ]);
      const fair = await Promise.all(backlogs.map((backlog) => this.#claimFair(backlog)));
      const rows = [...plain, ...fair.flatMap(({ claimed }) => claimed)];
      for (const [queue, jobs] of groupBy(rows, (row) => row.queue))
        await this.#enqueue(queue, jobs);
      if (rows.length > 0) await this.store.markEnqueued(rows.map(({ id }) => id));
      return {
        size: rows.length,
        isFull: plain.length === this.#batch,
        hasBacklog: fair.some(({ isRest }) => isRest),
      };
    });
  }

  async #claimFair(backlog: Backlog): Promise<{ claimed: OutboxRow[]; isRest: boolean }> {
    const claimed = await this.fairJobs.claim(backlog, this.#fairLimits);
    return { claimed, isRest: claimed.length < backlog.due };
  }

  async #relayAll(): Promise<void> {
    let batch: RelayedBatch;
    const begun = performance.now();
    do batch = await this.relayBatch();
    while (batch.isFull && !this.#loop.stopped);
    clearTimeout(this.#backlogTimer);
    if (!batch.hasBacklog || this.#loop.stopped) return;
    const ms = performance.now() - begun;
    const pauseMs = Math.max(BACKLOG_PAUSE_MS, BACKLOG_PAUSE_PER_MS * ms);
    this.#backlogTimer = setTimeout(this.#wake, pauseMs);
  }

  async #enqueue(queue: string, rows: readonly OutboxRow[]): Promise<void> {
    // The payload stays in the row, which the worker reads anyway.
    const jobs = rows.map((row) => ({ name: row.name, data: {}, opts: { jobId: jobIdOf(row) } }));
    await (await this.queues.reach(queue)).addBulk(jobs);
  }
}

interface RelayedBatch {
  /** Rows that were handed over. */
  readonly size: number;
  /** Whether there may be more rows without a fairness key. */
  readonly isFull: boolean;
  /** Whether rows with one were left, for which the queue had no room. */
  readonly hasBacklog: boolean;
}
