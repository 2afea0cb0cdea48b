import { EventEmitter } from 'node:events';
import type { PgNotification, PgPool, PgPoolClient, PgQueryResult } from 'bullmq';
import type pg from 'pg';
import type { PostgresListener } from './postgres-listener.js';

/**
 * The pool that BullMQ gets. By itself it would keep a pool per queue and per worker, and a listening
 * connection per worker. Its statements stand alone, each its own transaction, so they go to one pool. It
 * takes a connection only to check the schema, to name that connection and to listen: all clients share the
 * listening connection of the process for it.
 */
export class SharedPool implements PgPool {
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

  // Called by nobody: BullMQ ends only pools that it has made.
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

  async query<Row>(text: string, params: readonly unknown[] = []): Promise<PgQueryResult<Row>> {
    const { rows, rowCount } = await this.listener.query(text, params);
    return { rows: rows as Row[], rowCount };
  }

  release(): void {
    this.listener.off('notification', this.#notified);
    this.listener.off('disconnected', this.#failed);
  }
}
