import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A temporary folder, and what has to be ended before it can go. */
export class Scratch {
  #steps = [];

  constructor(folder) {
    this.folder = folder;
  }

  /** Told to end, the process ends everything that was deferred and leaves nothing behind. */
  static async open(prefix) {
    const scratch = new Scratch(await mkdtemp(path.join(tmpdir(), prefix)));
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
      process.once(signal, () => {
        void scratch
          .end()
          .then(() => scratch.remove())
          .finally(() => process.exit(1));
      });
    }
    return scratch;
  }

  /** @param step is taken at the end, before those that were deferred earlier */
  defer(step) {
    this.#steps.push(step);
  }

  async end() {
    for (const step of this.#steps.splice(0).reverse()) await step();
  }

  remove() {
    return rm(this.folder, { recursive: true, force: true, maxRetries: 10 });
  }
}
