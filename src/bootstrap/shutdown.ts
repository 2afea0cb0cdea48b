import type { Logger } from 'pino';

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;
/** A little more than requests and jobs in flight get to finish. */
const LIMIT_MS = 40_000;
/** A signal that comes again so soon is the same one: npm passes on Ctrl-C, which the terminal has sent to this process as well. */
const REPEATED_MS = 1_000;

type Step = () => Promise<void>;

/**
 * Ends the process in order when it is asked to, also while it is still starting: whatever was
 * opened is closed in the opposite order, exit code 0. A second signal ends it at once, unless it repeats the first.
 */
export class Shutdown {
  private readonly steps: Step[] = [];
  private stoppingSince: number | undefined;

  constructor(private readonly logger: Logger) {
    for (const signal of SIGNALS) process.on(signal, () => this.onSignal(signal));
  }

  /** Adds what has to be closed. */
  add(step: Step): void {
    this.steps.unshift(step);
  }

  /**
   * Waits for a step of the start. If the process has to end meanwhile, what the step opened is closed once it is open, since
   * others may know of it by then. In that case this never resolves, so that no further step begins.
   */
  async whileStarting<T>(
    opening: Promise<T>,
    close: (opened: T) => Promise<void> = () => Promise.resolve(),
  ): Promise<T> {
    this.add(() => opening.then(close, () => undefined));
    try {
      const opened = await opening;
      if (this.stoppingSince === undefined) return opened;
    } catch (error) {
      if (this.stoppingSince === undefined) throw error;
    }
    return new Promise(() => undefined);
  }

  /** Closes everything that was opened. */
  async run(): Promise<void> {
    for (const step of this.steps.splice(0)) await step();
  }

  /** Ends the process with exit code 1, so that its supervisor restarts it. */
  fail(): void {
    this.end(1);
  }

  private onSignal(signal: NodeJS.Signals): void {
    if (this.stoppingSince !== undefined) {
      if (performance.now() - this.stoppingSince < REPEATED_MS) return;
      process.exit(1);
    }
    this.logger.info(`${signal}: finishing what is under way`);
    this.end(0);
  }

  private end(exitCode: number): void {
    if (this.stoppingSince !== undefined) return;
    this.stoppingSince = performance.now();
    setTimeout(() => process.exit(1), LIMIT_MS).unref();
    this.run()
      .then(() => {
        this.logger.info('Stopped');
        process.exit(exitCode);
      })
      .catch((error: unknown) => {
        this.logger.error({ err: error }, 'Could not stop in order');
        process.exit(1);
      });
  }
}
