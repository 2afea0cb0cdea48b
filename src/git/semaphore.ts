import { GitBusyError } from './errors.js';

/** Lets a bounded number of holders in, in the order of their asking. */
export class Semaphore {
  private readonly waiting: (() => void)[] = [];

  constructor(private free: number) {}

  /** Resolves with the function that gives the place back; calling it again does nothing. */
  async acquire(): Promise<() => void> {
    if (this.free > 0) this.free -= 1;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    return this.holder();
  }

  /**
   * The same for those who do not wait longer than this many milliseconds.
   * @throws GitBusyError
   */
  async acquireWithin(limitMs: number): Promise<() => void> {
    if (this.free > 0) return this.acquire();
    await new Promise<void>((resolve, reject) => {
      const enter = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.waiting.splice(this.waiting.indexOf(enter), 1);
        reject(new GitBusyError('All places stayed taken'));
      }, limitMs);
      this.waiting.push(enter);
    });
    return this.holder();
  }

  private holder(): () => void {
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      const next = this.waiting.shift();
      if (next) next();
      else this.free += 1;
    };
  }
}
