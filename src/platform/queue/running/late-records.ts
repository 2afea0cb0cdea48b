import {
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { BackgroundLoop } from '../../async/index.js';
import { QueueFactory } from '../backends/queue-factory.js';

const RETRY_MS = 1_000;
/** From then on the sweep finds the job by itself. */
const LONGEST_MS = 10 * 60_000;

interface LateRecord {
  readonly outboxId: string;
  readonly write: () => Promise<void>;
  readonly since: number;
}

/**
 * Writes results of jobs that could not be recorded while the database was unavailable, as soon as it is back.
 * Until then the outbox shows jobs as queued that have ended already.
 */
@Injectable()
export class LateRecords implements OnApplicationBootstrap, OnApplicationShutdown {
  #records: LateRecord[] = [];
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

  has(outboxId: string): boolean {
    return this.#records.some((record) => record.outboxId === outboxId);
  }

  /** @param write may run twice, and after another worker has taken the job */
  add(outboxId: string, write: () => Promise<void>): void {
    this.#records.push({ outboxId, write, since: performance.now() });
    this.#loop.wake();
  }

  /** Resolves or rejects as `now` does; where it rejects, `later` is added. */
  async orLater<T>(
    outboxId: string,
    now: () => Promise<T>,
    later: () => Promise<void>,
  ): Promise<T> {
    try {
      return await now();
    } catch (error) {
      this.add(outboxId, later);
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
        throw error;
      }
      this.#records.shift();
    }
  }
}
