import { Mutex } from 'async-mutex';
import { EventEmitter } from 'node:events';
import type pg from 'pg';
import { FailoverClient } from '../../database/index.js';
import type { ErrorLog } from './queue-backend.js';

const FIRST_RETRY_MS = 100;
const MAX_RETRY_MS = 5_000;
const CONNECT_TIMEOUT_MS = 5_000;
const CHANNEL = /^[a-z_]+$/;

interface ListenerEvents {
  notification: [channel: string, payload: string];
  /** Connected or reconnected; notifications sent in between are lost. */
  connected: [];
  disconnected: [Error];
}

/**
 * The one connection of a process that listens for notifications of PostgreSQL. It belongs to no pool. When it
 * is lost, it reconnects and listens again to the channels of `listen`.
 */
export class PostgresListener extends EventEmitter<ListenerEvents> {
  readonly #channels = new Set<string>();
  #client: pg.Client | undefined;
  #connecting: Promise<void> | undefined;
  #retry: NodeJS.Timeout | undefined;
  readonly #statements = new Mutex();
  #failures = 0;
  #closed = false;

  constructor(
    private readonly databaseUrl: string,
    private readonly errors: ErrorLog,
  ) {
    super();
    this.setMaxListeners(0);
  }

  /**
   * Resolves when the server notifies of this channel.
   * @throws Error when the server cannot be reached now; it is still tried again until `close`
   */
  async listen(channel: string): Promise<void> {
    if (!CHANNEL.test(channel)) throw new Error(`Not a channel: ${channel}`);
    const known = this.#channels.has(channel);
    this.#channels.add(channel);
    if (this.#client === undefined) {
      await this.#connect();
    } else if (!known) {
      await this.query(`LISTEN ${channel}`);
    }
  }

  /**
   * Runs a statement on the listening connection. What it sets or listens to ends with that connection.
   * @throws Error when the server cannot be reached now
   */
  query(text: string, values: readonly unknown[] = []): Promise<pg.QueryResult> {
    // A connection runs one statement at a time.
    return this.#statements.runExclusive(async () => {
      if (this.#client === undefined) await this.#connect();
      if (this.#client === undefined) throw new Error('The listener is closed');
      return this.#client.query(text, [...values]);
    });
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#retry);
    await this.#connecting?.catch(() => undefined);
    const client = this.#client;
    this.#client = undefined;
    await client?.end();
  }

  #connect(): Promise<void> {
    this.#connecting ??= this.#establish().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  async #establish(): Promise<void> {
    if (this.#closed) throw new Error('The listener is closed');
    clearTimeout(this.#retry);
    const client = this.#newClient();
    try {
      await client.connect();
      for (const channel of this.#channels) await client.query(`LISTEN ${channel}`);
    } catch (error) {
      client.end().catch(() => undefined);
      this.#connectLater(error);
      throw error;
    }
    this.#client = client;
    this.#failures = 0;
    this.emit('connected');
  }

  #newClient(): pg.Client {
    const client = new FailoverClient({
      connectionString: this.databaseUrl,
      application_name: 'trellis-listener',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: CONNECT_TIMEOUT_MS,
    });
    client.on('notification', ({ channel, payload }) => {
      this.emit('notification', channel, payload ?? '');
    });
    client.on('error', (error) => this.#lost(client, error));
    client.on('end', () => this.#lost(client, new Error('The connection has ended')));
    return client;
  }

  // A connection that breaks emits several events.
  #lost(client: pg.Client, error: Error): void {
    if (client !== this.#client) return;
    this.#client = undefined;
    client.end().catch(() => undefined);
    this.emit('disconnected', error);
    this.#connectLater(error);
  }

  #connectLater(cause: unknown): void {
    if (this.#closed) return;
    this.errors.report('PostgreSQL notifications', cause);
    clearTimeout(this.#retry);
    const delay = Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** this.#failures);
    this.#failures += 1;
    // A failure is reported and followed by the next attempt where it occurs.
    this.#retry = setTimeout(() => void this.#connect().catch(() => undefined), delay);
  }
}
