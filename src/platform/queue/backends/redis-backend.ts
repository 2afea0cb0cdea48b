import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { randomUUID } from 'node:crypto';
import {
  type ErrorLog,
  type JobProcessor,
  type JobQueue,
  type JobWorker,
  type JobWorkerOptions,
  QUEUE_DEFAULTS,
  type QueueBackend,
} from './queue-backend.js';

const PREFIX = 'trellis';
const MARKER = `${PREFIX}:marker`;
const MARKED = 'complete';
const COMMAND_TIMEOUT_MS = 5_000;
const MAX_RECONNECT_DELAY_MS = 2_000;

const MARK_IF_UNTOUCHED = `
  if redis.call('get', KEYS[1]) == ARGV[1] then redis.call('set', KEYS[1], ARGV[2]) end`;

/**
 * Queues in Redis. A process costs it one connection for all queues, and in a worker process one
 * more for all workers' commands and one per queue that waits for jobs.
 */
export class RedisBackend implements QueueBackend {
  readonly kind = 'redis';
  #commands: Redis | undefined;
  #workers: Redis | undefined;

  constructor(
    private readonly url: string,
    private readonly errors: ErrorLog,
  ) {}

  queue(name: string): JobQueue {
    return new Queue(name, {
      connection: this.#forCommands(),
      prefix: PREFIX,
      ...QUEUE_DEFAULTS,
    });
  }

  worker(name: string, processor: JobProcessor, options: JobWorkerOptions): JobWorker {
    return new Worker(name, processor, {
      ...options,
      connection: this.#forWorkers(),
      prefix: PREFIX,
    });
  }

  async ping(): Promise<void> {
    await this.#forCommands().ping();
  }

  async isMarked(): Promise<boolean> {
    return (await this.#forCommands().get(MARKER)) === MARKED;
  }

  async markAfter(check: () => Promise<void>): Promise<void> {
    const redis = this.#forCommands();
    const token = randomUUID();
    await redis.set(MARKER, token);
    await check();
    await redis.eval(MARK_IF_UNTOUCHED, 1, MARKER, token, MARKED);
  }

  close(): Promise<void> {
    this.#commands?.disconnect();
    this.#workers?.disconnect();
    return Promise.resolve();
  }

  // Callers wait for these commands, some of them inside a transaction, so they fail instead of hanging.
  #forCommands(): Redis {
    this.#commands ??= this.#connect({
      maxRetriesPerRequest: 1,
      commandTimeout: COMMAND_TIMEOUT_MS,
    });
    return this.#commands;
  }

  // Workers wait for Redis without a limit, as BullMQ requires.
  #forWorkers(): Redis {
    this.#workers ??= this.#connect({ maxRetriesPerRequest: null });
    return this.#workers;
  }

  #connect(options: { maxRetriesPerRequest: number | null; commandTimeout?: number }): Redis {
    const redis = new Redis(this.url, {
      ...options,
      connectionName: 'trellis',
      retryStrategy: (times) => Math.min(MAX_RECONNECT_DELAY_MS, 50 * 2 ** Math.min(times, 6)),
    });
    redis.on('error', (error: Error) => this.errors.report('Redis', error));
    return redis;
  }
}
