import {
  createPostgresBackend,
  type PgNotification,
  type PgPool,
  type PgPoolClient,
  type PgQueryResult,
  Queue,
  runMigrations,
  Worker,
} from 'bullmq';
import { EventEmitter } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';

import { FailoverClient, PreparingClient } from '../../database/index.js';
import type { PostgresListener } from './postgres-listener.js';
import {
  type ErrorLog,
  type JobProcessor,
  type JobQueue,
  type JobWorker,
  type JobWorkerOptions,
  QUEUE_DEFAULTS,
  type QueueBackend,
} from './queue-backend.js';

const CONNECT_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 30_000;
const MAX_LIFETIME_S = 60;
const RETRY_MS = 500;
/** SQLSTATEs that the statement causes. Those of other classes, and errors without one, come from the connection. */
const OWN_FAULT = /^(?!08|53|55|57)\d/;

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

  // The jobs are in the same database as the outbox: they are emptied, restored and moved together with it.
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
    const pool = new pg.Pool({
      connectionString: this.options.databaseUrl,
      max: this.options.poolSize,
      // What was prepared may fail once a newer version of the service has migrated the queues: no
      // connection is kept for longer than a minute.
      Client: PreparingClient,
      maxLifetimeSeconds: MAX_LIFETIME_S,
      application_name: 'trellis-queue',
      // The queue's own steps need not wait for the disk: after a crash of the server the outbox
      // shows what was not confirmed, and a job that is delivered twice finds its row deleted.
      options: '-c search_path=bullmq -c synchronous_commit=off',
      statement_timeout: STATEMENT_TIMEOUT_MS,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    });
    // A server that stops may end the sessions of a closing pool before they have ended themselves.
    pool.on('error', (error) => {
      if (!pool.ending) this.errors.report('PostgreSQL', error);
    });
    this.#pool = pool;
    return pool;
  }
}

/**
 * Creates or updates the schema `bullmq` for queues in PostgreSQL; does nothing when it is up to
 * date. Processes that start at the same time wait for each other by an advisory lock.
 */
export async function migrateQueue(databaseUrl: string): Promise<void> {
  const client = new FailoverClient({
    connectionString: databaseUrl,
    application_name: 'trellis',
  });
  await client.connect();
  try {
    await runMigrations(client);
  } finally {
    await client.end();
  }
}

/**
 * The pool that BullMQ gets. By itself BullMQ would keep a pool per queue and per worker, and a listening
 * connection per worker. Each of its statements is a transaction, so all go to one pool. It takes a
 * connection only to check the schema, to name that connection and to listen; for these all clients share
 * the listening connection of the process.
 */
class SharedPool implements PgPool {
  /** Read by BullMQ: a lost listener is noticed, so its workers may wait long. */
  readonly options = { keepAlive: true };

  constructor(
    private readonly pool: pg.Pool,
    private readonly listener: PostgresListener,
  ) {}

  async query<Row>(text: string, params: readonly unknown[] = []): Promise<PgQueryResult<Row>> {
    const { rows, rowCount } = await this.pool.query(text, [...params]);
    return { rows: rows as Row[], rowCount };
  }

  connect(): Promise<PgPoolClient> {
    return Promise.resolve(new SharedClient(this.listener));
  }

  // Never called: BullMQ ends only pools that it has created.
  end(): Promise<void> {
    return Promise.resolve();
  }

  // Errors of idle connections are reported where the pool is made.
  on(): this {
    return this;
  }

  removeAllListeners(): this {
    return this;
  }
}

type Notified = (message: PgNotification) => void;

/** The connection of one worker: its share of the listening connection. After an error it is replaced by BullMQ. */
class SharedClient extends EventEmitter implements PgPoolClient {
  readonly #notified: (channel: string, payload: string) => void;
  readonly #failed: (error: Error) => void;
  #isReleased = false;

  constructor(private readonly listener: PostgresListener) {
    super();
    this.#notified = (channel, payload) => {
      const notify: Parameters<Notified>[0] = { channel, payload };
      this.emit('notification', notify);
    };
    this.#failed = (error) => {
      if (this.listenerCount('error') > 0) this.emit('error', error);
    };
    listener.on('notification', this.#notified);
    listener.on('disconnected', this.#failed);
  }

  /**
   * Waits for a server that is away: BullMQ keeps the result of its first statements, so that a queue or worker
   * that began with a failure would fail until the process ends. They check the schema, name the connection and
   * listen, all of which may be repeated.
   */
  async query<Row>(text: string, params: readonly unknown[] = []): Promise<PgQueryResult<Row>> {
    for (;;) {
      try {
        const { rows, rowCount } = await this.listener.query(text, params);
        return { rows: rows as Row[], rowCount };
      } catch (error) {
        const { code } = error as { code?: string };
        const isOwnFault = code !== undefined && OWN_FAULT.test(code);
        if (isOwnFault || this.#isReleased || this.listener.isClosed) throw error;
        await delay(RETRY_MS, undefined, { ref: false });
      }
    }
  }

  release(): void {
    this.#isReleased = true;
    this.listener.off('notification', this.#notified);
    this.listener.off('disconnected', this.#failed);
  }
}
