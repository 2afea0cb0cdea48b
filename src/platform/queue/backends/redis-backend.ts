import { Queue, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { randomUUID } from 'node:crypto';
import { parseRedisAddress } from '../../config/index.js';
import { CLUSTER_PREFIX, connectRedis, type RedisPatience } from '../../redis/index.js';
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
const MARKED = 'complete';
/** Callers wait for these commands, some of them inside a transaction, so they fail instead of hanging. */
const CALLERS: RedisPatience = { commandMs: 5_000, silenceMs: 5_000 };
/** Workers wait for Redis without a limit, as BullMQ requires, each up to ten seconds for its next job. */
const WORKERS: RedisPatience = { silenceMs: 15_000 };

/** The mark, and the run of the server that it was written for with that of this server; a run ends with its process. */
const READ_MARK = `
  local info = redis.pcall('info', 'server')
  local run = type(info) == 'string' and string.match(info, 'run_id:(%w+)') or ''
  return {redis.call('get', KEYS[1]) or '', redis.call('get', KEYS[2]) or '', run}`;
const MARK_IF_UNTOUCHED = `
  if redis.call('get', KEYS[1]) == ARGV[1] then
    redis.call('set', KEYS[2], ARGV[3])
    redis.call('set', KEYS[1], ARGV[2])
  end`;

/**
 * Queues in Redis. A process costs it one connection for all queues, and in a worker process one
 * more for all workers' commands and one per queue that waits for jobs.
 */
export class RedisBackend implements QueueBackend {
  readonly kind = 'redis';
  readonly #prefix: string;
  /** Keys of the mark and of the server's run. */
  readonly #markKeys: readonly [string, string];
  #commands: Redis | undefined;
  #workers: Redis | undefined;

  constructor(
    private readonly url: string,
    private readonly errors: ErrorLog,
  ) {
    this.#prefix = parseRedisAddress(url).kind === 'cluster' ? CLUSTER_PREFIX : PREFIX;
    this.#markKeys = [`${this.#prefix}:marker`, `${this.#prefix}:server`];
  }

  queue(name: string): JobQueue {
    return new Queue(name, {
      connection: this.#forCommands(),
      prefix: this.#prefix,
      ...QUEUE_DEFAULTS,
    });
  }

  worker(name: string, processor: JobProcessor, options: JobWorkerOptions): JobWorker {
    this.#workers ??= this.#connect(WORKERS);
    return new Worker(name, processor, {
      ...options,
      connection: this.#workers,
      prefix: this.#prefix,
    });
  }

  async ping(): Promise<void> {
    await this.#forCommands().ping();
  }

  /**
   * False also when another server answers than at the last `markAfter`, or the same one after a restart: a replica
   * that became the master lacks what the master had acknowledged but not yet passed on, and a server what it had not
   * yet written to its file.
   */
  async isMarked(): Promise<boolean> {
    const { mark, markedRun, run } = await this.#readMark();
    return mark === MARKED && markedRun === run;
  }

  async markAfter(check: () => Promise<void>): Promise<void> {
    const redis = this.#forCommands();
    const token = randomUUID();
    await redis.set(this.#markKeys[0], token);
    const { run } = await this.#readMark();
    await check();
    await redis.eval(MARK_IF_UNTOUCHED, 2, ...this.#markKeys, token, MARKED, run);
  }

  close(): Promise<void> {
    this.#commands?.disconnect();
    this.#workers?.disconnect();
    return Promise.resolve();
  }

  async #readMark(): Promise<{ mark: string; markedRun: string; run: string }> {
    const answer = await this.#forCommands().eval(READ_MARK, 2, ...this.#markKeys);
    const [mark = '', markedRun = '', run = ''] = answer as string[];
    return { mark, markedRun, run };
  }

  #forCommands(): Redis {
    this.#commands ??= this.#connect(CALLERS);
    return this.#commands;
  }

  #connect(patience: RedisPatience): Redis {
    return connectRedis(this.url, patience, (error) => this.errors.report('Redis', error));
  }
}
