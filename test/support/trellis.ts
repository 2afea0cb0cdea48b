import { mkdtemp, rm } from 'node:fs/promises';
import { Agent } from 'node:http';
import { type AddressInfo, setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { DataSource } from 'typeorm';
import { Git } from '../../src/git/index.js';
import { loadConfig } from '../../src/platform/config/index.js';
import { SignIns } from '../../src/modules/audit/index.js';
import { SshServer } from '../../src/modules/transport/index.js';
import { createApplication, type HttpApplication } from '../../src/roles/application.js';
import { type GitLimits, openGround } from '../../src/roles/ground.js';
import { Client } from './client.js';
import { createDatabase, type TestDatabase } from './database.js';
import { Factories } from './factories.js';
import { ownQueues } from './own-queues.js';
import { measured } from './profile/measured.js';
import { Statements } from './statements.js';
import { until } from './until.js';

// Where localhost has two addresses, Node would give up the one that is listened on if a busy machine takes 250 ms.
setDefaultAutoSelectFamilyAttemptTimeout(60_000);

const SECRET_KEY = 'a key that is good enough for tests';

export interface TrellisOptions {
  /** Environment variables on top of the harness's own. */
  env?: Record<string, string>;
  /** Whether jobs run too; most tests only look at what is in the outbox. */
  runsJobs?: boolean;
  /** Whether Git over SSH is served too, on a free port. */
  servesSsh?: boolean;
  /** Limits of Git conversations other than the ordinary ones. */
  gitLimits?: GitLimits;
  /** A service to share the database and the data folder with; it is stopped after this one. */
  beside?: Trellis;
  /** A database and a data folder that are there already; they are removed with the service. */
  data?: { database: TestDatabase; dataDir: string };
}

/** The whole service on a free port, with a database and a data folder of its own. */
export class Trellis {
  /** The shared service. */
  private static opening: Promise<Trellis> | undefined;

  static {
    // This module is loaded outside of all suites, so that the hook runs once, after the last suite of the Jest file.
    afterAll(async () => {
      const trellis = await Trellis.opening;
      Trellis.opening = undefined;
      await trellis?.end();
    });
  }

  readonly factories: Factories;
  readonly statements: Statements;
  private isShared = false;
  private readonly connections = new Agent({ keepAlive: true });

  private constructor(
    private readonly http: HttpApplication,
    private readonly database: TestDatabase,
    readonly dataDir: string,
    readonly url: string,
    private readonly isGuest: boolean,
    runsJobs: boolean,
  ) {
    this.factories = new Factories(http.app);
    this.statements = new Statements(runsJobs);
    this.statements.attach(this.dataSource);
  }

  /** Of the database, for processes that share it. */
  get databaseUrl(): string {
    return this.database.url;
  }

  /** Environment variables of processes that share its database, data folder and key. */
  get sharedEnvironment(): Record<'DATA_DIR' | 'DATABASE_URL' | 'SECRET_KEY', string> {
    return { DATA_DIR: this.dataDir, DATABASE_URL: this.databaseUrl, SECRET_KEY };
  }

  /**
   * Returns the service that the suites of a Jest file share, in which no jobs run; the first call starts it. It is
   * stopped after the last suite of the file, never by a suite. A suite finds rows of those before it: it looks only at
   * what it made, and puts back what is the same for all, as settings.
   */
  static async shared(): Promise<Trellis> {
    Trellis.opening ??= Trellis.start().then((trellis) => {
      trellis.isShared = true;
      return trellis;
    });
    const trellis = await Trellis.opening;
    await trellis.updateStatistics();
    // Otherwise those of former suites are written amid the statements that this one counts.
    await trellis.app.get(SignIns).writeAll();
    return trellis;
  }

  /** Starts a service for the calling suite alone, which stops it. */
  static start(options: TrellisOptions = {}): Promise<Trellis> {
    return measured('starting', () => Trellis.open(options));
  }

  private static async open(options: TrellisOptions): Promise<Trellis> {
    const { env = {}, runsJobs = false, servesSsh = false, gitLimits, beside, data } = options;
    const database = beside?.database ?? data?.database ?? (await createDatabase());
    const dataDir =
      beside?.dataDir ?? data?.dataDir ?? (await mkdtemp(path.join(tmpdir(), 'trellis-e2e-')));
    const config = loadConfig({
      DATA_DIR: dataDir,
      PORT: '0',
      DATABASE_URL: database.url,
      LOG_LEVEL: 'silent',
      ...(servesSsh ? { SSH_PORT: '0' } : {}),
      SECRET_KEY,
      ...(runsJobs ? await ownQueues() : {}),
      ...env,
    });
    const logger = pino({ level: 'silent' });
    const ground = await openGround(config, database.url, logger, gitLimits);
    const http = await createApplication(ground, { runsJobs, packageRoot: process.cwd() });
    if (servesSsh) await http.app.get(SshServer).listen(logger);
    await http.app.listen(0, '127.0.0.1');
    const { port } = http.app.getHttpServer().address() as AddressInfo;
    config.bindHttpPort(port);
    const url = `http://localhost:${String(port)}`;
    return new Trellis(http, database, dataDir, url, beside !== undefined, runsJobs);
  }

  get app(): HttpApplication['app'] {
    return this.http.app;
  }

  get dataSource(): DataSource {
    return this.http.app.get(DataSource);
  }

  get git(): Git {
    return this.http.app.get(Git);
  }

  /** A client of the API without a credential. */
  get anonymous(): Client {
    return new Client(this.url, undefined, this.connections);
  }

  /** A client of the API with a private token. */
  as({ token }: { token: string }): Client {
    return new Client(this.url, token, this.connections);
  }

  /** Waits until the service is ready, and returns what it says then; each question has a time limit of the service's own. */
  untilReady(): Promise<unknown> {
    return until(async () => {
      const response = await fetch(`${this.url}/readyz`);
      const body: unknown = await response.json();
      return response.status === 200 && body;
    });
  }

  /** Rows of the database, as they are. */
  async rows<Row = Record<string, unknown>>(
    sql: string,
    parameters: unknown[] = [],
  ): Promise<Row[]> {
    const result: unknown = await this.dataSource.query(sql, parameters);
    return result as Row[];
  }

  /**
   * Does what autovacuum does elsewhere, which is off in tests: without statistics, PostgreSQL's plans for the rows of
   * former suites take time in their square.
   */
  private async updateStatistics(): Promise<void> {
    const changed = await this.rows<{ name: string }>(
      `SELECT quote_ident(relname) AS name FROM pg_stat_user_tables WHERE n_mod_since_analyze > 50`,
    );
    if (changed.length === 0) return;
    await this.rows(`ANALYZE ${changed.map(({ name }) => name).join(', ')}`);
  }

  stop(): Promise<void> {
    if (this.isShared) throw new Error('The shared service is still needed by other suites');
    return this.end();
  }

  private end(): Promise<void> {
    return measured('stopping', () => this.close());
  }

  private async close(): Promise<void> {
    await this.http.drain.drain(1_000);
    await this.http.app.get(SshServer).drain(1_000);
    const { git } = this;
    await this.http.app.close();
    this.connections.destroy();
    await git.close();
    if (this.isGuest) return;
    await this.database.drop();
    await rm(this.dataDir, { recursive: true, force: true });
  }
}
