import type { Socket } from 'node:net';
import type pg from 'pg';
import { ConnectionMonitor, type MonitoredConnection } from './connection-monitor.js';
import { DriverClient } from '../pg-internals.js';
import { type DatabaseHost, DatabaseHosts, nameOf } from './database-hosts.js';

export interface FailoverClientConfig extends pg.ClientConfig {
  /** May have several hosts, of which the one that takes writes is connected to. Has to be given. */
  connectionString?: string | undefined;
  /** After so long without an answer to a statement the connection is ended. Default: never while the server answers others. */
  answerLimitMs?: number | undefined;
  /** Whether a pooler lends a session to each transaction, so that nothing can be set for the session. */
  isPooled?: boolean | undefined;
  monitor?: ConnectionMonitor | undefined;
  /** The name of the session, also where the address has another. */
  sessionName?: string | undefined;
}

const CONNECT_LIMIT_MS = 10_000;
/** Node then sends a probe every second, ten of them: an idle connection without a peer ends after 15 s. */
const KEEP_ALIVE_MS = 5_000;

/**
 * Has the server notice within 14 s that the machine of a session is gone, and within 5 s more stop what it does for it: until then
 * the session keeps its locks. PostgreSQL 13 cannot do the latter.
 */
const NOTICE_DEATH = `
  SELECT set_config('tcp_keepalives_idle', '5', false),
         set_config('tcp_keepalives_interval', '3', false),
         set_config('tcp_keepalives_count', '3', false),
         set_config('tcp_user_timeout', '12s', false)`;
const STOP_WORK = `,
         CASE WHEN current_setting('client_connection_check_interval', true) IS NOT NULL
              THEN set_config('client_connection_check_interval', '5s', false) END`;
const NOT_ON_THIS_PLATFORM = '22023';

/**
 * What says that a session is of no use any more: the server ends, or takes no writes (any more). 25006 is also the answer to
 * a write in a transaction that was begun as one that only reads; a new connection does no harm then.
 */
const SESSION_IS_OVER = new Set(['57P01', '57P02', '57P03', '25006']);

const usualMonitor = new ConnectionMonitor();

/**
 * A connection to PostgreSQL that survives neither its server nor its server's role as primary unnoticed. All connections of the
 * service are of this class (docs/decisions/0061-postgresql-fails-over.md).
 */
export class FailoverClient extends DriverClient implements MonitoredConnection {
  readonly answerLimitMs: number;
  private readonly hosts: DatabaseHosts;
  private readonly isPooled: boolean;
  private readonly sessionName: string | undefined;
  private readonly monitor: ConnectionMonitor;
  private chosen: DatabaseHost;

  constructor(config: FailoverClientConfig = {}) {
    const hosts = DatabaseHosts.of(config.connectionString ?? '');
    super({
      ...config,
      // TypeORM names it without a value.
      connectionTimeoutMillis: config.connectionTimeoutMillis ?? CONNECT_LIMIT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      connectionString: hosts.all[0].url,
    });
    this.hosts = hosts;
    this.chosen = hosts.all[0];
    this.answerLimitMs = config.answerLimitMs ?? Infinity;
    this.isPooled = config.isPooled ?? false;
    this.sessionName = config.sessionName;
    this.monitor = config.monitor ?? usualMonitor;
    // Also keeps the process alive when the connection is lost where nothing listens yet.
    this.on('error', () => this.hosts.doubt());
    this.on('end', () => this.monitor.remove(this));
    this.connection.on('errorMessage', ({ code }: { code?: string }) => {
      if (SESSION_IS_OVER.has(code ?? '')) process.nextTick(() => this.retire());
    });
  }

  override readonly connect = ((callback?: (error: Error | null, client?: pg.Client) => void) => {
    const connected = this.establish();
    if (callback === undefined) return connected.then(() => this);
    connected.then(() => callback(null, this), callback);
    return undefined;
  }) as pg.Client['connect'];

  get isWaiting(): boolean {
    return this.readyForQuery === false;
  }

  get bytes(): number {
    const { bytesRead, bytesWritten } = this.socket;
    return bytesRead + bytesWritten;
  }

  get hostUrl(): string {
    return this.chosen.url;
  }

  abandon(reason: string): void {
    const error = Object.assign(new Error(reason), { code: 'ETIMEDOUT' });
    this.socket.destroy(error);
  }

  /**
   * PostgreSQL writes times in JSON in the zone of the session, and those of some zones before 1900 in a way that JavaScript does not read.
   * A name in the address, which the driver prefers, would hide the sessions of a process that has lost its lease.
   */
  override getStartupConf(): Record<string, string> {
    const name = this.sessionName;
    return {
      ...super.getStartupConf(),
      ...(name !== undefined && { application_name: name }),
      TimeZone: 'UTC',
    };
  }

  private get socket(): Socket {
    return this.connection.stream as Socket;
  }

  private async establish(): Promise<void> {
    const host = await this.hosts.choose();
    // By a pool whose own time limit was over first.
    if (this.socket.destroyed) throw new Error('Connection terminated before it was made');
    if (this.hosts.all.length > 1) {
      this.chosen = host;
      this.host = host.host;
      this.port = host.port;
    }
    try {
      await super.connect();
      this.monitor.add(this);
      if (!this.isPooled) await this.beginSession();
    } catch (error) {
      this.hosts.doubt();
      super.end().catch(() => undefined);
      throw this.explained(error as Error);
    }
  }

  private async beginSession(): Promise<void> {
    try {
      await super.query(NOTICE_DEATH + STOP_WORK);
    } catch (error) {
      if ((error as { code?: string }).code !== NOT_ON_THIS_PLATFORM) throw error;
      await super.query(NOTICE_DEATH);
    }
  }

  /** The driver says of a time limit no more than that it has expired. */
  private explained(error: Error): Error {
    if (error.message !== 'timeout expired') return error;
    const text = `no answer from ${nameOf(this.chosen)}`;
    const late = Object.assign(new Error(text, { cause: error }), { code: 'ETIMEDOUT' });
    this.hosts.reportUnreachable(late);
    return late;
  }

  /** Ends the connection, so that its pool replaces it. */
  private retire(): void {
    this.hosts.doubt();
    this.end().catch(() => undefined);
  }
}
