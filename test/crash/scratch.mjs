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

  /**
   * Does the work of a campaign, ends everything, and says how it went; what went wrong leaves the folder.
   * @param work answers what is wrong
   * @param told the seed, what is said when nothing is wrong, and how much of what is wrong is told
   */
  async judge(work, { seed, success, most = Infinity }) {
    const problems = await work().catch((error) => [error.stack]);
    await this.end();
    if (problems.length === 0) {
      await this.remove();
      console.log(success);
      return;
    }
    console.log(`\nWRONG, with --seed ${seed}; everything is kept in ${this.folder}`);
    for (const problem of problems.slice(0, most)) console.log(`- ${problem}`);
    if (problems.length > most) console.log(`… ${problems.length} in all`);
    process.exitCode = 1;
  }

  async end() {
    for (const step of this.#steps.splice(0).reverse()) await step();
  }

  remove() {
    return rm(this.folder, { recursive: true, force: true, maxRetries: 10 });
  }
}
