import { constants } from 'node:os';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** What is to be undone at the end, the last first, also when a signal brings the end about. */
export class Cleanup {
  #steps = [];
  #running;
  #interrupted;

  constructor() {
    for (const signal of SIGNALS) {
      process.on(signal, () => {
        // Asked twice: at once, with what is left behind.
        if (this.#interrupted) process.exit(1);
        this.#interrupted = this.run().finally(() => process.exit(128 + constants.signals[signal]));
      });
    }
  }

  /** @param {() => unknown} step */
  add(step) {
    this.#steps.push(step);
  }

  run() {
    this.#running ??= this.#runAll();
    return this.#running;
  }

  /** Never returns after a signal: what fails then fails because of it, and is nobody's concern. */
  async unlessInterrupted() {
    await this.#interrupted;
  }

  async #runAll() {
    for (const step of this.#steps.reverse()) {
      try {
        await step();
      } catch (error) {
        console.error(error);
      }
    }
  }
}
