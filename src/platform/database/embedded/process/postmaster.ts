import { spawn, type ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { EmbeddedPostgresError } from '../errors.js';
import type { Command } from './launcher.js';
import { endServer } from './orphan.js';
import { readPostmasterFile } from './postmaster-file.js';
import type { Logger, ServerLog } from './server-log.js';

const POLL_MS = 20;
const REPORT_MS = 10_000;

/** The server ended, or could not be started. */
export class PostmasterEndedError extends EmbeddedPostgresError {
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
export class Postmaster {
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

  /** What can be said about an end nobody asked for. */
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
