import { createPostgresBackend, Queue, runMigrations, Worker, type PgPool } from 'bullmq';
import pg from 'pg';
import { PreparingClient } from '../../database/index.js';
import type { ErrorLog } from './error-log.js';
import type { PostgresListener } from './postgres-listener.js';
import {
  type JobProcessor,
  type JobQueue,
  type JobWorker,
  type JobWorkerOptions,
  QUEUE_DEFAULTS,
  type QueueBackend,
} from './queue-backend.js';
import { SharedPool } from './shared-pool.js';

const CONNECT_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 30_000;
const MAX_LIFETIME_S = 60;

/**
 * Queues in PostgreSQL, by BullMQ's own schema. All queues and workers of a process share one small
 * pool and the process's one listening connection, so its cost does not grow with their number.
 */
export class PostgresBackend implements QueueBackend {
  readonly kind = 'postgres';
  #pool: pg.Pool | undefined;
  #shared: PgPool | undefined;

  constructor(
    private readonly options: { databaseUrl: string; poolSize: number },
    private readonly listener: PostgresListener,
    private readonly errors: ErrorLog,
  ) {}

  queue(name: string): JobQueue {
    return new Queue(
      name,
      { connection: this.#connection(), ...QUEUE_DEFAULTS },
      createPostgresBackend,
    );
  }

  worker(name: string, processor: JobProcessor, options: JobWorkerOptions): JobWorker {
    return new Worker(
      name,
      processor,
      { ...options, connection: this.#connection() },
      createPostgresBackend,
    );
  }

  async ping(): Promise<void> {
    await this.#queries().query('SELECT 1');
  }

  // The jobs lie beside the outbox: they are emptied, restored and moved together with it.
  isMarked(): Promise<boolean> {
    return Promise.resolve(true);
  }

  markAfter(check: () => Promise<void>): Promise<void> {
    return check();
  }

  async close(): Promise<void> {
    await this.#pool?.end();
  }

  #connection(): PgPool {
    this.#shared ??= new SharedPool(this.#queries(), this.listener);
    return this.#shared;
  }

  #queries(): pg.Pool {
    if (this.#pool !== undefined) return this.#pool;
    this.#pool = new pg.Pool({
      connectionString: this.options.databaseUrl,
      max: this.options.poolSize,
      // What was prepared may fail once a newer version of the service has migrated the queues: no
      // connection is kept for longer than a minute.
      Client: PreparingClient,
      maxLifetimeSeconds: MAX_LIFETIME_S,
      application_name: 'trellis-queue',
      // The queue's own steps need not wait for the disk: after a crash of the server the outbox
      // tells what was not confirmed, and a step taken twice finds its row gone.
      options: '-c search_path=bullmq -c synchronous_commit=off',
      statement_timeout: STATEMENT_TIMEOUT_MS,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
    });
    this.#pool.on('error', (error) => this.errors.report('PostgreSQL', error));
    return this.#pool;
  }
}

/**
 * Creates or updates the schema `bullmq` for queues in PostgreSQL; does nothing when it is up to
 * date. Processes that start at the same time wait for each other by an advisory lock.
 */
export async function migrateQueue(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'trellis' });
  await client.connect();
  try {
    await runMigrations(client);
  } finally {
    await client.end();
  }
}
