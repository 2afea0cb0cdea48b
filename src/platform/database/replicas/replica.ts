import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { runStatement } from '../run-statement.js';
import { isConnectionLost } from '../sql-state.js';
import { PreparingClient, type PreparingClientConfig } from '../preparing-client.js';
import { IDENTITY, parseLsn, type Position } from './position.js';
import type { ReadStatement, ReadTarget } from './read-scope.js';

/** How a standby is reached. */
export interface ReplicaSettings {
  /** Of one server, without a pooler or load balancer in between. */
  readonly url: string;
  /** Connections for reads. */
  readonly poolSize: number;
  readonly client: PreparingClientConfig;
}

/** What a server says about itself. */
export interface ReplicaReport {
  readonly isStandby: boolean;
  readonly identity: string;
  readonly startedAt: string;
  /** How far the log has been replayed; null for a server that has never been a standby. */
  readonly lsn: string | null;
  /** The timeline that it follows; null for one that does not stream, and where the account may not know. */
  readonly timeline: number | null;
  readonly maySeeTimeline: boolean;
}

/** The timeline comes from the receiver: a server that recovers does not say which one it replays. */
const PROGRESS = `
  pg_is_in_recovery() AS "isStandby",
  pg_last_wal_replay_lsn()::text AS lsn,
  (SELECT received_tli FROM pg_stat_wal_receiver) AS timeline`;
const FIND_PROGRESS = `SELECT ${PROGRESS}`;
const DESCRIBE = `
  SELECT ${PROGRESS}, ${IDENTITY} AS identity, pg_postmaster_start_time()::text AS "startedAt",
         pg_has_role('pg_read_all_stats', 'USAGE') AS "maySeeTimeline"`;

/** A statement waits no longer for a connection: the primary answers sooner. */
const CONNECT_LIMIT_MS = 1_000;
/** The least time between two questions how far the standby is. */
const ASK_EVERY_MS = 1;
const SHORTEST_REST_MS = 100;
const LONGEST_REST_MS = 5_000;

/** The server is of another cluster, or the database of another name. */
export class ForeignError extends Error {}

/** A standby does not answer a read, and the primary has to. */
class ReplicaError extends Error {}

/**
 * A server that runs since a moment. What it has replayed it keeps, so the latest position that is known of it stays true.
 * One that was started again is another one: it may have less.
 */
class ReplicaServer implements ReadTarget {
  position: Position | undefined;

  constructor(
    private readonly replica: Replica,
    readonly startedAt: string,
  ) {}

  read<Row>(statement: ReadStatement): Promise<Row[]> {
    return this.replica.read<Row>(this, statement);
  }

  hasReached({ timeline, lsn }: Position): boolean {
    return this.position?.timeline === timeline && this.position.lsn >= lsn;
  }
}

/** A standby that answers reads, as far as it has what they have to see. */
export class Replica {
  private readonly reads: pg.Pool;
  /** Of one connection, so that the question how far the standby is waits for no read. */
  private readonly questions: pg.Pool;
  private readonly servers = new WeakMap<object, ReplicaServer>();
  private server: ReplicaServer | undefined;
  private asking: Promise<ReplicaServer> | undefined;
  private askedAt = 0;
  private restMs = 0;
  private restUntil = 0;

  /** @param identity resolves to that of the primary's database */
  constructor(
    { url, poolSize, client }: ReplicaSettings,
    private readonly identity: () => Promise<string>,
  ) {
    const options = {
      ...client,
      connectionString: url,
      Client: PreparingClient,
      connectionTimeoutMillis: CONNECT_LIMIT_MS,
      verify: (connection: pg.PoolClient, done: (error?: Error) => void) => {
        this.recognize(connection).then(() => done(), done);
      },
    };
    this.reads = new pg.Pool({ ...options, max: poolSize });
    this.questions = new pg.Pool({ ...options, max: 1, idleTimeoutMillis: 0 });
    // Idle connections that end; the next one is made anew.
    for (const pool of [this.reads, this.questions]) pool.on('error', () => undefined);
  }

  /** Whether it is worth asking: it has not just failed, or been too late. */
  get isTried(): boolean {
    return performance.now() >= this.restUntil;
  }

  /** Returns the running server if it is known to have all up to a position. */
  reached(position: Position): ReplicaServer | undefined {
    return this.server?.hasReached(position) === true ? this.server : undefined;
  }

  /**
   * Waits until the server has replayed all up to a position.
   * @param until of `performance.now()`
   * @returns undefined when it has not by then
   * @throws Error when it cannot be asked
   */
  async reach(position: Position, until: number): Promise<ReplicaServer | undefined> {
    for (;;) {
      this.asking ??= this.ask().finally(() => (this.asking = undefined));
      const server = await this.asking;
      if (server.hasReached(position)) {
        this.restMs = 0;
        return server;
      }
      if (performance.now() >= until) return undefined;
    }
  }

  /** Leaves the standby alone for a while, each time for longer until it has been in time again. */
  rest(): void {
    if (!this.isTried) return;
    this.restMs = Math.min(Math.max(SHORTEST_REST_MS, this.restMs * 2), LONGEST_REST_MS);
    this.restUntil = performance.now() + this.restMs;
  }

  /** @throws Error when it cannot be reached */
  async describe(): Promise<ReplicaReport> {
    const connection = await this.questions.connect();
    try {
      return await describe(connection);
    } finally {
      connection.release();
    }
  }

  async read<Row>(
    server: ReplicaServer,
    { sql, parameters, settings }: ReadStatement,
  ): Promise<Row[]> {
    const connection = await this.reads.connect();
    if (this.servers.get(connection) !== server) {
      connection.release(this.servers.get(connection) !== this.server);
      throw new ReplicaError('it has been started again');
    }
    try {
      const run = () => runStatement<Row>(connection, sql, parameters);
      const rows = await (settings === undefined ? run() : within(connection, settings, run));
      connection.release();
      return rows;
    } catch (error) {
      connection.release(settings !== undefined || isConnectionLost(error));
      if (isConnectionLost(error)) this.rest();
      throw error;
    }
  }

  async end(): Promise<void> {
    await Promise.all([this.reads.end(), this.questions.end()]);
  }

  /** Finds out which server a new connection leads to. */
  private async recognize(connection: pg.PoolClient): Promise<void> {
    const report = await describe(connection);
    if (report.identity !== (await this.identity())) {
      throw new ForeignError('It is of another database');
    }
    const lsn = parseLsn(report.lsn ?? '0/0');
    const { server } = this;
    // After a crash, it recovers from a position behind that which it had reached.
    const isSame = server?.startedAt === report.startedAt && lsn >= (server.position?.lsn ?? 0n);
    if (!isSame) this.server = new ReplicaServer(this, report.startedAt);
    this.servers.set(connection, this.server as ReplicaServer);
  }

  private async ask(): Promise<ReplicaServer> {
    const pause = this.askedAt + ASK_EVERY_MS - performance.now();
    if (pause > 0) await delay(pause);
    this.askedAt = performance.now();
    const connection = await this.questions.connect();
    const server = this.servers.get(connection) as ReplicaServer;
    try {
      if (server !== this.server) throw new ReplicaError('it has been started again');
      const { rows } = await connection.query<ReplicaReport>(FIND_PROGRESS);
      const [{ isStandby, lsn, timeline }] = rows as [ReplicaReport];
      if (!isStandby) throw new ReplicaError('it is no standby at present');
      if (lsn === null || timeline === null) {
        throw new ReplicaError('it does not say which timeline it follows');
      }
      server.position = { timeline, lsn: parseLsn(lsn) };
      connection.release();
      return server;
    } catch (error) {
      connection.release(true);
      throw error;
    }
  }
}

async function describe(connection: pg.PoolClient): Promise<ReplicaReport> {
  const { rows } = await connection.query<ReplicaReport>(DESCRIBE);
  return rows[0] as ReplicaReport;
}

/** Runs a statement in a transaction with settings of its own. All is sent together. */
async function within<T>(
  connection: pg.PoolClient,
  settings: string,
  run: () => Promise<T>,
): Promise<T> {
  const begun = connection.query('START TRANSACTION');
  const set = connection.query(settings);
  const result = run();
  const ended = connection.query('COMMIT');
  const [answer] = await Promise.all([result, begun, set, ended]);
  return answer;
}
