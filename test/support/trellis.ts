import { mkdtemp, rm } from 'node:fs/promises';
import { Agent } from 'node:http';
import { type AddressInfo, setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { DataSource } from 'typeorm';
import { Git } from '../../src/git/index.js';
import { Config, loadConfig } from '../../src/platform/config/index.js';
import { TransactionPool } from '../../src/platform/database/index.js';
import { SignIns } from '../../src/modules/audit/index.js';
import { SshServer } from '../../src/modules/git-access/index.js';
import { createApplication, type HttpApplication } from '../../src/bootstrap/application.js';
import { type GitClientLimits, openGround } from '../../src/bootstrap/ground.js';
import { changeConfig, type ChangedSettings } from './changed-settings.js';
import { Client } from './client.js';
import { createDatabase, type TestDatabase } from './database.js';
import { Factories } from './factories.js';
import { ownQueues } from './own-queues.js';
import type { OwnServiceReason } from './own-service.js';
import { measured } from './profile/measured.js';
import { Statements } from './statements.js';
import { until } from './until.js';

// Where localhost has two addresses, Node would give up the one that is listened on if a busy machine takes 250 ms.
setDefaultAutoSelectFamilyAttemptTimeout(60_000);

const OWN_UMASK = 0o077;
const SECRET_KEY = 'a key that is good enough for tests';
const LOGGER = pino({ level: 'silent' });

export interface TrellisOptions {
  /** Why the suite cannot share a service. */
  because: OwnServiceReason;
  /** Environment variables on top of the harness's own. */
  env?: Record<string, string>;
  /** Whether jobs run too; most tests only look at what is in the outbox. */
  runsJobs?: boolean;
  /** Whether Git over SSH is served too, on a free port. */
  servesSsh?: boolean;
  /** Limits of Git conversations other than the ordinary ones. */
  gitLimits?: GitClientLimits;
  /** A service to share the database and the data folder with; it is stopped after this one. */
  beside?: Trellis;
  /** A database and a data folder that are there already; they are removed with the service. */
  data?: { database: TestDatabase; dataDir: string };
}

/** What a suite needs of a shared service; `restore` takes it back. */
export interface SharedOptions {
  /** Whether jobs run: of the two shared services, one runs jobs. It may connect to local receivers of hooks. */
  runsJobs?: boolean;
  /** Whether Git over SSH is served too, on a free port. */
  servesSsh?: boolean;
  settings?: ChangedSettings;
}

/** The whole service on a free port, with a database and a data folder of its own. */
export class Trellis {
  /** The umask outside of services, each of which sets its own for the whole process. */
  private static umask = OWN_UMASK;
  /** The shared services, by whether they run jobs. */
  private static readonly opening = new Map<boolean, Promise<Trellis>>();

  static {
    // This module is loaded outside of all suites, so that the hook runs once, after the last suite of the Jest file.
    afterAll(async () => {
      const opened = await Promise.allSettled(Trellis.opening.values());
      Trellis.opening.clear();
      for (const each of opened) if (each.status === 'fulfilled') await each.value.end();
    });
  }

  readonly factories: Factories;
  readonly statements: Statements;
  private isShared = false;
  /** What `restore` does, the last first. */
  private readonly restorations: (() => void | Promise<void>)[] = [];
  private readonly connections = new Agent({ keepAlive: true });

  private constructor(
    private readonly http: HttpApplication,
    private readonly database: TestDatabase,
    readonly dataDir: string,
    readonly url: string,
    private readonly isGuest: boolean,
    private env: NodeJS.ProcessEnv,
    runsJobs: boolean,
  ) {
    this.factories = new Factories(http.app);
    this.statements = new Statements(runsJobs);
    this.statements.attach(this.dataSource);
    this.statements.attachPushes(http.app.get(TransactionPool));
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
   * Returns the service that the suites of a Jest file share; the first call starts it. It is stopped after the last suite
   * of the file, never by a suite. A suite finds rows of those before it: it looks only at what it made, and puts back
   * what is the same for all. With options, it calls `restore` at its end.
   */
  static async shared(options: SharedOptions = {}): Promise<Trellis> {
    const { runsJobs = false, servesSsh = false, settings = {} } = options;
    const opening = Trellis.opening.get(runsJobs) ?? Trellis.openShared(runsJobs);
    Trellis.opening.set(runsJobs, opening);
    const trellis = await opening;
    if (trellis.restorations.length > 0) {
      await trellis.restore();
      throw new Error('The suite before this one has not restored the shared service');
    }
    if (Object.keys(settings).length > 0) trellis.change(settings);
    if (servesSsh) await trellis.serveSsh();
    if (runsJobs) await trellis.forgetJobs();
    await trellis.updateStatistics();
    // Otherwise those of former suites are written amid the statements that this one counts.
    await trellis.app.get(SignIns).writeAll();
    return trellis;
  }

  private static async openShared(runsJobs: boolean): Promise<Trellis> {
    const queues = runsJobs ? await ownQueues({ ofShared: true }) : {};
    const env = runsJobs ? { WEBHOOK_ALLOW_LOCAL: 'true', ...queues } : {};
    const trellis = await measured('starting', () => Trellis.open({ runsJobs, env }));
    trellis.isShared = true;
    // It outlives the suite.
    process.umask(Trellis.umask);
    return trellis;
  }

  /** Starts a service for the calling suite alone, which stops it. */
  static start(options: TrellisOptions): Promise<Trellis> {
    return measured('starting', () => Trellis.open(options));
  }

  private static async open(options: Omit<TrellisOptions, 'because'>): Promise<Trellis> {
    const { env = {}, runsJobs = false, servesSsh = false, gitLimits, beside, data } = options;
    const database = beside?.database ?? data?.database ?? (await createDatabase());
    const dataDir =
      beside?.dataDir ?? data?.dataDir ?? (await mkdtemp(path.join(tmpdir(), 'trellis-e2e-')));
    const variables = {
      DATA_DIR: dataDir,
      PORT: '0',
      DATABASE_URL: database.url,
      LOG_LEVEL: 'silent',
      ...(servesSsh ? { SSH_PORT: '0' } : {}),
      SECRET_KEY,
      ...(runsJobs && env['REDIS_URL'] === undefined ? await ownQueues() : {}),
      ...env,
    };
    const config = loadConfig(variables);
    const umask = process.umask(OWN_UMASK);
    if (umask !== OWN_UMASK) Trellis.umask = umask;
    const ground = await openGround(config, database.url, LOGGER, gitLimits);
    const http = await createApplication(ground, { runsJobs, packageRoot: process.cwd() });
    if (servesSsh) await http.app.get(SshServer).listen(LOGGER);
    await http.app.listen(0, '127.0.0.1');
    const { port } = http.app.getHttpServer().address() as AddressInfo;
    config.bindHttpPort(port);
    const url = `http://localhost:${String(port)}`;
    return new Trellis(http, database, dataDir, url, beside !== undefined, variables, runsJobs);
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
      `SELECT format('%I.%I', schemaname, relname) AS name FROM pg_stat_user_tables WHERE n_mod_since_analyze > 50`,
    );
    if (changed.length === 0) return;
    await this.rows(`ANALYZE ${changed.map(({ name }) => name).join(', ')}`);
  }

  /** Runs a test with other settings. */
  async with<T>(settings: ChangedSettings, work: () => Promise<T>): Promise<T> {
    const restore = this.set(settings);
    try {
      return await work();
    } finally {
      restore();
    }
  }

  /** Changes settings until `restore`. */
  change(settings: ChangedSettings): void {
    this.afterwards(this.set(settings));
  }

  /** Has `restore` put back what a suite is about to change. */
  afterwards(restoration: () => void | Promise<void>): void {
    this.restorations.push(restoration);
  }

  /** Makes the shared service again what other suites expect. */
  async restore(): Promise<void> {
    for (;;) {
      const restoration = this.restorations.pop();
      if (restoration === undefined) return;
      await restoration();
    }
  }

  private set(settings: ChangedSettings): () => void {
    const { env } = this;
    this.env = { ...env, ...settings };
    const restoreConfig = changeConfig(this.app.get(Config), this.env);
    return () => {
      restoreConfig();
      this.env = env;
    };
  }

  private async serveSsh(): Promise<void> {
    const config = this.app.get(Config);
    const { port } = config.ssh;
    const server = this.app.get(SshServer);
    Object.assign(config.ssh, { port: 0 });
    await server.listen(LOGGER);
    this.afterwards(async () => {
      await server.drain(1_000);
      Object.assign(config.ssh, { port });
    });
  }

  /** Deletes jobs and hooks of former suites, whose receivers and repositories are gone. */
  private async forgetJobs(): Promise<void> {
    await this.rows('DELETE FROM hooks');
    await this.rows('DELETE FROM outbox');
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
    process.umask(Trellis.umask);
    if (this.isGuest) return;
    await this.database.drop();
    await rm(this.dataDir, { recursive: true, force: true });
  }
}
