import { type ChildProcess, spawn } from 'node:child_process';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { ClusterPlace, Durability } from '../cluster.js';
import { EmbeddedPostgresError } from '../errors.js';
import type { Command } from './launcher.js';
import { clearOrphan, endServer } from './orphan.js';
import { readPostmasterFile } from './process-info.js';
import type { Logger, ServerLog } from './server-log.js';

const POLL_MS = 20;
const REPORT_MS = 10_000;
const PORT_TAKEN = /could not bind|Address already in use/;
const PREDECESSOR_ALIVE =
  /pre-existing shared memory block|lock file "postmaster.pid" already exists/;
const PATIENCE_MS = 15_000;
const PAUSE_MS = 250;

/** The server ended, or could not be started. */
class PostmasterEndedError extends EmbeddedPostgresError {
  override readonly name = 'PostmasterEndedError';

  constructor(
    how: string,
    readonly log: string,
    cause?: Error,
  ) {
    super(`PostgreSQL ended (${how}). Its last messages:\n${log || '(none)'}`, { cause });
  }
}

/** One running server process. */
class Postmaster {
  /** Resolves when the process has ended, saying how. Never rejects. */
  readonly ended: Promise<string>;
  private running = true;

  private constructor(
    private readonly child: ChildProcess,
    private readonly cluster: string,
    private readonly log: ServerLog,
  ) {
    this.ended = new Promise<string>((resolve) => {
      child.once('error', (error) => resolve(error.message));
      child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
    }).finally(() => {
      this.running = false;
      process.off('exit', this.endWithProcess);
    });
    process.once('exit', this.endWithProcess);
  }

  /**
   * Starts a server and waits until it takes connections, which after a crash is when it has
   * recovered. It gets a session of its own, so that Ctrl-C in a terminal does not reach it before
   * the service has drained.
   * @throws PostmasterEndedError
   */
  static async launch(
    command: Command,
    cluster: string,
    log: ServerLog,
    logger: Logger,
  ): Promise<Postmaster> {
    const file = await log.open();
    try {
      const child = spawn(command.file, command.args, {
        ...command.options,
        detached: true,
        stdio: ['ignore', file.fd, file.fd],
      });
      const postmaster = new Postmaster(child, cluster, log);
      await postmaster.untilReady(logger);
      return postmaster;
    } finally {
      await file.close();
    }
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  /** Describes why the server ended unexpectedly. */
  async endedError(): Promise<PostmasterEndedError> {
    return new PostmasterEndedError(await this.ended, await this.log.tail());
  }

  async stop(): Promise<void> {
    if (this.running && this.pid !== undefined) await endServer(this.pid);
    await this.ended;
  }

  // The last resort for a service that ends without stopping its server.
  private readonly endWithProcess = (): void => {
    if (this.running) this.child.kill('SIGINT');
  };

  private async untilReady(logger: Logger): Promise<void> {
    let reportAt = Date.now() + REPORT_MS;
    while (this.running) {
      const file = await readPostmasterFile(this.cluster);
      if (file?.ready && file.pid === this.pid) return;
      if (Date.now() > reportAt) {
        reportAt += REPORT_MS;
        logger.info(`PostgreSQL is still starting: ${(await this.log.tail()).split('\n').at(-1)}`);
      }
      await Promise.race([this.ended, delay(POLL_MS)]);
    }
    throw await this.endedError();
  }
}

export interface Launched {
  readonly postmaster: Postmaster;
  readonly port: number;
}

/** Where the server writes and where it is talked about. */
export interface Reporting {
  readonly log: ServerLog;
  readonly logger: Logger;
}

/** Finds a port of the loopback interface that is free at this moment. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/**
 * Starts the server on a free port, or on a given one, trying again for some seconds while
 * something that will pass is in the way: a port taken in between, processes of a killed server.
 * @throws PostmasterEndedError
 */
export async function launch(
  { cluster, binaries, launcher, durability }: ClusterPlace,
  { log, logger }: Reporting,
  fixedPort?: number,
): Promise<Launched> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const port = fixedPort ?? (await freePort());
    const command = launcher.command(binaries.postgres, serverOptions(cluster, port, durability));
    try {
      return { postmaster: await Postmaster.launch(command, cluster, log, logger), port };
    } catch (error) {
      if (!(error instanceof PostmasterEndedError) || Date.now() > deadline) throw error;
      if (PREDECESSOR_ALIVE.test(error.log)) await clearOrphan(cluster, logger);
      else if (!PORT_TAKEN.test(error.log)) throw error;
      await delay(PAUSE_MS);
    }
  }
}

const UNSAFE = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  // Its workers belong to a superuser: a database's owner may not end them, and could not drop it meanwhile.
  autovacuum: 'off',
};

/** Command line options of the server, which win over its configuration files. */
function serverOptions(cluster: string, port: number, durability: Durability): string[] {
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    shared_buffers: '128MB',
    max_connections: 100,
    max_wal_size: '1GB',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_checkpoints: 'off',
    // A failed statement may hold what its author wanted to keep secret.
    log_min_error_statement: 'panic',
    logging_collector: 'off',
    ...(durability === 'off' ? UNSAFE : {}),
  };
  return [
    '-D',
    cluster,
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
}
