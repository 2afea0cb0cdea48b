import {
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { BackgroundLoop } from '../../async/index.js';
import { QueueFactory } from '../backends/queue-factory.js';
import { jobIdOf, type OutboxReference } from '../outbox/outbox.repository.js';

const RETRY_MS = 1_000;
/** From then on the sweep finds the job by itself. */
const LONGEST_MS = 10 * 60_000;

/** What could not be recorded of a job. */
export interface LateRecord {
  /** May run twice, and after another worker has taken the job. */
  readonly write: () => Promise<void>;
  /** The job if it has ended; absent where it is only given back. */
  readonly ended?: OutboxReference;
}

/**
 * Writes results of jobs that could not be recorded while the database was unavailable, as soon as it is back.
 * Until then the outbox shows jobs as queued that have ended already.
 */
@Injectable()
export class LateRecords implements OnApplicationBootstrap, OnApplicationShutdown {
  #records: (LateRecord & { readonly since: number })[] = [];
  readonly #ended = new Set<string>();
  readonly #loop: BackgroundLoop;

  constructor(queues: QueueFactory) {
    this.#loop = new BackgroundLoop(
      RETRY_MS,
      () => this.#writeAll(),
      (error) => queues.errors.report('late records', error),
    );
  }

  get size(): number {
    return this.#records.length;
  }

  /** Whether the job has ended and its row does not say so yet. */
  hasEndOf(reference: OutboxReference): boolean {
    return this.#ended.has(jobIdOf(reference));
  }

  add(record: LateRecord): void {
    this.#records.push({ ...record, since: performance.now() });
    if (record.ended !== undefined) this.#ended.add(jobIdOf(record.ended));
    this.#loop.wake();
  }

  /** Resolves or rejects as `now` does; where it rejects, `record` is added. */
  async orLater<T>(now: () => Promise<T>, record: LateRecord): Promise<T> {
    try {
      return await now();
    } catch (error) {
      this.add(record);
      throw error;
    }
  }

  // Not with the first record: the loop would then run in the context of that record's unit of work.
  onApplicationBootstrap(): void {
    this.#loop.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#loop.stop();
  }

  // The first that fails ends the round: the others would wait for the same database. It moves to the end of
  // the queue, so that a record that can never be written does not block the others.
  async #writeAll(): Promise<void> {
    for (let record = this.#records[0]; record !== undefined; record = this.#records[0]) {
      try {
        await record.write();
      } catch (error) {
        this.#records.shift();
        if (performance.now() - record.since < LONGEST_MS) this.#records.push(record);
        else this.#forget(record);
        throw error;
      }
      this.#records.shift();
      this.#forget(record);
    }
  }

  #forget({ ended }: LateRecord): void {
    if (ended !== undefined) this.#ended.delete(jobIdOf(ended));
  }
}
