const CLEAR_LINE = '\r\u001b[K';

/**
 * Says on standard error what is being done: on a terminal in one line that changes, elsewhere in
 * a line for each new thing.
 */
export class Progress {
  #begin = performance.now();
  #live = process.stderr.isTTY;
  #told = '';

  /**
   * @param {string} what
   * @param {string} [detail] shown on a terminal only
   */
  step(what, detail = '') {
    if (this.#live) {
      const line = [this.#clock(), what, detail].filter(Boolean).join('  ');
      process.stderr.write(CLEAR_LINE + line.slice(0, (process.stderr.columns ?? 80) - 1));
    } else if (what !== this.#told) {
      process.stderr.write(`${this.#clock()}  ${what}\n`);
    }
    this.#told = what;
  }

  /** Leaves the terminal to others. */
  done() {
    if (this.#live) process.stderr.write(CLEAR_LINE);
  }

  get seconds() {
    return (performance.now() - this.#begin) / 1000;
  }

  #clock() {
    return `${this.seconds.toFixed(0).padStart(4)} s`;
  }
}
