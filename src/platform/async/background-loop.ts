/**
 * Runs a task repeatedly: at least every `intervalMs`, and immediately when woken. A run that fails is
 * reported; the next one then waits for the interval, even when woken.
 */
export class BackgroundLoop {
  #running: Promise<void> | undefined;
  #stopped = false;
  #woken = false;
  #wakeSleeper: (() => void) | undefined;

  constructor(
    private readonly intervalMs: number,
    private readonly task: () => Promise<void>,
    private readonly report: (error: unknown) => void,
  ) {}

  get stopped(): boolean {
    return this.#stopped;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  wake(): void {
    this.#woken = true;
    this.#wakeSleeper?.();
  }

  /** Resolves when the run under way has ended; no other follows. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#wakeSleeper?.();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      this.#woken = false;
      let failed = false;
      try {
        await this.task();
      } catch (error) {
        failed = true;
        this.report(error);
      }
      await this.#sleep(failed);
    }
  }

  async #sleep(undisturbed: boolean): Promise<void> {
    if (this.#stopped || (this.#woken && !undisturbed)) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.intervalMs);
      this.#wakeSleeper = () => {
        if (undisturbed && !this.#stopped) return;
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wakeSleeper = undefined;
  }
}
