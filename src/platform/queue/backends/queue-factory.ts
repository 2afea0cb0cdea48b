import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { settlesWithin } from '../../async/index.js';
import { QUEUE_OPTIONS, type QueueOptions, tuningOf } from '../queue-options.js';
import { PostgresBackend } from './postgres-backend.js';
import { PostgresListener } from './postgres-listener.js';
import {
  ErrorLog,
  type JobProcessor,
  type JobQueue,
  type JobWorker,
  type JobWorkerOptions,
  type QueueBackend,
} from './queue-backend.js';
import { RedisBackend } from './redis-backend.js';

// A worker whose job goes on, or a store that does not answer, must not keep the process from ending.
const CLOSE_MS = 2_000;

/**
 * Creates queues and workers, in Redis or in PostgreSQL; only this class knows which. Connects on first use.
 *
 * Connections of a process to PostgreSQL beside those of its data source: one listening connection
 * in a worker, and with queues in PostgreSQL at most `poolSize` more, whatever the number of queues.
 */
@Injectable()
export class QueueFactory implements OnApplicationShutdown {
  /** How long `reach` waits for the first answer of the store. */
  readonly reachMs: number = 2_000;
  readonly errors: ErrorLog;
  readonly listener: PostgresListener;
  readonly #backend: QueueBackend;
  readonly #queues = new Map<string, JobQueue>();
  readonly #reached = new Set<string>();
  readonly #workers = new Set<JobWorker>();
  #closing: Promise<void> | undefined;

  constructor(@Inject(QUEUE_OPTIONS) options: QueueOptions) {
    const { databaseUrl, redisUrl, logger } = options;
    this.errors = new ErrorLog(logger);
    this.listener = new PostgresListener(databaseUrl, this.errors);
    this.#backend =
      redisUrl === undefined
        ? new PostgresBackend(
            { databaseUrl, poolSize: tuningOf(options).poolSize },
            this.listener,
            this.errors,
          )
        : new RedisBackend(redisUrl, this.errors);
  }

  get kind(): QueueBackend['kind'] {
    return this.#backend.kind;
  }

  /**
   * The queue of that name, for commands. BullMQ's commands wait without a limit until the store answers for the first
   * time, and a transaction or the end of the process would wait with them.
   * @throws Error when it has not yet answered, and does not within seconds
   */
  async reach(name: string): Promise<JobQueue> {
    const queue = this.queue(name);
    if (this.#reached.has(name)) return queue;
    if (!(await settlesWithin(queue.waitUntilReady(), this.reachMs))) {
      throw new Error(`The store of the queue ${name} does not answer`);
    }
    this.#reached.add(name);
    return queue;
  }

  /** The queue of that name; one object per process. */
  queue(name: string): JobQueue {
    let queue = this.#queues.get(name);
    if (queue === undefined) {
      queue = this.#backend.queue(name);
      queue.on('error', (error) => this.errors.report(`queue ${name}`, error));
      this.#queues.set(name, queue);
    }
    return queue;
  }

  /** A worker that takes jobs from the queue at once, unless the options say otherwise. */
  worker(name: string, processor: JobProcessor, options: JobWorkerOptions): JobWorker {
    const worker = this.#backend.worker(name, processor, options);
    worker.on('error', (error) => this.errors.report(`worker ${name}`, error));
    this.#workers.add(worker);
    return worker;
  }

  /** Rejects within a few seconds when the store of the queues does not answer. */
  ping(): Promise<void> {
    return this.#backend.ping();
  }

  /** False when the store was emptied since the last `markAfter`: jobs may be missing. */
  isMarked(): Promise<boolean> {
    return this.#backend.isMarked();
  }

  /** Writes the mark after `check`, unless the store was emptied again in the meantime. */
  markAfter(check: () => Promise<void>): Promise<void> {
    return this.#backend.markAfter(check);
  }

  /** Closes workers, queues and connections within seconds; workers still busy are cut off. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  onApplicationShutdown(): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    const queues = [...this.#queues.values()].map((queue) => queue.close());
    const workers = [...this.#workers].map(cutOff);
    await settlesWithin(Promise.allSettled([...queues, ...workers]), CLOSE_MS);
    const connections = [this.listener.close(), this.#backend.close()];
    await settlesWithin(Promise.allSettled(connections), CLOSE_MS);
  }
}

async function cutOff(worker: JobWorker): Promise<void> {
  const closed = worker.close(true);
  // BullMQ leaves a worker on PostgreSQL waiting for its next job, for up to an hour.
  await worker.getBackend().disconnectBlocking(false);
  await closed;
}
