import { Inject, Injectable } from '@nestjs/common';
import { BackgroundLoop } from '../../async/index.js';
import { UnitOfWork } from '../../database/index.js';
import { QueueFactory } from '../backends/queue-factory.js';
import { QUEUE_OPTIONS, tuningOf, type QueueOptions } from '../queue-options.js';
import { jobIdOf, OutboxRepository, type OutboxRow } from './outbox.repository.js';

const CHANNEL = 'outbox';

/**
 * Hands rows of the outbox over to the queue: woken by the notification of an insert, and by a timer
 * for delayed rows and lost notifications. Any number of relays work side by side. One that dies
 * between handing over and recording it leaves the rows to the next, which repeats the same ids.
 */
@Injectable()
export class OutboxRelay {
  readonly #batch: number;
  readonly #loop: BackgroundLoop;
  readonly #notified = (channel: string): void => {
    if (channel === CHANNEL) this.wake();
  };
  readonly #wake = (): void => this.wake();

  constructor(
    private readonly store: OutboxRepository,
    private readonly unitOfWork: UnitOfWork,
    private readonly queues: QueueFactory,
    @Inject(QUEUE_OPTIONS) options: QueueOptions,
  ) {
    const tuning = tuningOf(options);
    this.#batch = tuning.relayBatch;
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
  }

  /** Moves one batch in one transaction; returns its size. */
  relayBatch(): Promise<number> {
    return this.unitOfWork.run(async () => {
      const rows = await this.store.claimDue(this.#batch);
      if (rows.length === 0) return 0;
      const perQueue = groupByQueue(rows);
      for (const [queue, jobs] of perQueue) await this.#enqueue(queue, jobs);
      await this.store.markEnqueued(rows.map(({ id }) => id));
      return rows.length;
    });
  }

  async #relayAll(): Promise<void> {
    while (!this.#loop.stopped && (await this.relayBatch()) === this.#batch);
  }

  async #enqueue(queue: string, rows: readonly OutboxRow[]): Promise<void> {
    // The payload stays in the row, which the worker reads anyway.
    const jobs = rows.map((row) => ({ name: row.name, data: {}, opts: { jobId: jobIdOf(row) } }));
    await (await this.queues.reach(queue)).addBulk(jobs);
  }
}

function groupByQueue(rows: readonly OutboxRow[]): Map<string, OutboxRow[]> {
  const groups = new Map<string, OutboxRow[]>();
  for (const row of rows) {
    const group = groups.get(row.queue);
    if (group === undefined) groups.set(row.queue, [row]);
    else group.push(row);
  }
  return groups;
}
