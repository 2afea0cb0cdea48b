import { createHmac } from 'node:crypto';
import { readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { findBinaries } from './binaries.js';
import { type ClusterPlace, type Durability, ensureCluster, PASSWORD_FILE } from './cluster.js';
import { DataDirLock } from './data-dir-lock.js';
import { EmbeddedPostgresError } from './errors.js';
import { chooseLauncher } from './process/launcher.js';
import { clearOrphan } from './process/orphan.js';
import { launch, type Launched, type Reporting } from './process/postmaster.js';
import { readPostmasterFile, serves } from './process/process-info.js';
import { type Logger, ServerLog } from './process/server-log.js';
import { addressOf, ensureServiceDatabase, SERVICE } from './service-database.js';

const MOST_RESTARTS = 5;
const RESTART_WINDOW_MS = 60_000;

interface EmbeddedPostgresOptions {
  readonly dataDir: string;
  readonly logger: Logger;
  /** `off` for databases that are thrown away. Default `on`. */
  readonly durability?: Durability;
  /** Called once when the server ended by itself and could not be started again. */
  readonly onLost?: (error: Error) => void;
}

/**
 * A PostgreSQL server under `DATA_DIR/postgres` that lives as long as the service: on the loopback
 * interface alone, on a port chosen at each start, with passwords kept in `DATA_DIR`. It holds the
 * lock of the `DATA_DIR`, recovers from a service that was killed, and starts the server again
 * when that ends by itself.
 */
export class EmbeddedPostgres {
  private stopping: Promise<void> | undefined;
  private restarting: Promise<void> | undefined;
  /** When the server was last started again, in milliseconds; a bounded list. */
  private restarts: readonly number[] = [];

  private constructor(
    private readonly place: ClusterPlace,
    private readonly reporting: Reporting,
    private readonly password: string,
    private readonly lock: DataDirLock,
    private launched: Launched,
  ) {}

  /**
   * @throws DataDirInUseError when another live service holds the folder
   * @throws EmbeddedPostgresError when the server cannot run here; the message says what to do
   */
  static async start(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
    const lock = await DataDirLock.take(options.dataDir);
    try {
      return await this.startLocked(options, lock);
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  /**
   * Address of the service's database on the server that another process runs on this folder.
   * @throws EmbeddedPostgresError when none does
   */
  static async runningUrl(dataDir: string): Promise<string> {
    const cluster = await realpath(join(dataDir, 'postgres')).catch(() => '');
    const file = await readPostmasterFile(cluster);
    if (file?.ready !== true || !(await serves(file.pid, cluster))) {
      throw new EmbeddedPostgresError(
        `No service runs on ${dataDir}: start it first, or set DATABASE_URL to a PostgreSQL that runs elsewhere.`,
      );
    }
    const superuserPassword = await readFile(join(dataDir, PASSWORD_FILE), 'utf8');
    return addressOf(file.port, SERVICE, servicePassword(superuserPassword.trim()), SERVICE);
  }

  /** Address of the service's own database. */
  get url(): string {
    return this.databaseUrl(SERVICE);
  }

  /** Address of a database on this server, existing or not, for the role that owns the service's. */
  databaseUrl(name: string): string {
    return addressOf(this.launched.port, SERVICE, this.password, name);
  }

  /** Lets the server end its sessions and write everything to disk, then gives the folder free. */
  stop(): Promise<void> {
    this.stopping ??= this.shutDown();
    return this.stopping;
  }

  private static async startLocked(
    options: EmbeddedPostgresOptions,
    lock: DataDirLock,
  ): Promise<EmbeddedPostgres> {
    const { dataDir } = lock;
    // An operator may have moved the cluster to another disk and left a symbolic link.
    const path = join(dataDir, 'postgres');
    const cluster = await realpath(path).catch(() => path);
    const reporting = {
      log: new ServerLog(join(dataDir, 'postgres.log')),
      logger: options.logger,
    };
    await clearOrphan(cluster, options.logger);
    const binaries = await findBinaries();
    const launcher = await chooseLauncher(binaries, cluster);
    const place = {
      dataDir,
      cluster,
      binaries,
      launcher,
      durability: options.durability ?? 'on',
    };
    const superuserPassword = await ensureCluster(place);
    const password = servicePassword(superuserPassword);
    const launched = await launch(place, reporting);
    try {
      await ensureServiceDatabase(launched.port, superuserPassword, password);
    } catch (error) {
      await launched.postmaster.stop();
      throw error;
    }
    const server = new EmbeddedPostgres(place, reporting, password, lock, launched);
    server.watch(options.onLost);
    return server;
  }

  private watch(onLost: EmbeddedPostgresOptions['onLost']): void {
    void this.launched.postmaster.ended.then(() => {
      if (this.stopping) return;
      this.restarting = this.restart().then(
        () => this.watch(onLost),
        (error: unknown) => {
          const reason = error instanceof Error ? error : new Error(String(error));
          this.reporting.logger.error(`PostgreSQL cannot be started again: ${reason.message}`);
          onLost?.(reason);
        },
      );
    });
  }

  /** On the same port, which the service's connection pools know. */
  private async restart(): Promise<void> {
    const failure = await this.launched.postmaster.endedError();
    const recent = this.restarts.filter((at) => Date.now() - at < RESTART_WINDOW_MS);
    if (recent.length >= MOST_RESTARTS) throw failure;
    this.restarts = [...recent, Date.now()];
    this.reporting.logger.error(`${failure.message}\nStarting it again`);
    this.launched = await launch(this.place, this.reporting, this.launched.port);
    this.reporting.logger.info('PostgreSQL is running again');
  }

  private async shutDown(): Promise<void> {
    await this.restarting;
    await this.launched.postmaster.stop();
    await this.lock.release();
  }
}

/** Made of the superuser's, so that there is one secret to keep. */
const servicePassword = (superuserPassword: string): string =>
  createHmac('sha256', superuserPassword).update(SERVICE).digest('hex');
