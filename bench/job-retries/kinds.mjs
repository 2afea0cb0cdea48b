// What the jobs of both ways have in common.
export const CONCURRENCY = 8;
export const ATTEMPTS = 5;
export const BACKOFF_MS = 500;
export const DELAY_MS = 2_000;
/** As many as the relay of the service takes at once. */
export const BATCH = 500;

/** Resolves a promise when as many jobs have succeeded as were announced. */
export class Countdown {
  #left = 0;
  #resolve;

  announce(count) {
    this.#left = count;
    return new Promise((resolve) => (this.#resolve = resolve));
  }

  succeeded() {
    this.#left -= 1;
    if (this.#left === 0) this.#resolve();
  }
}
