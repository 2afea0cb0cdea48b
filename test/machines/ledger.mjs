// What was written, read and answered at a site, and what was struck meanwhile.
import { Ledger } from '../faults/ledger.mjs';

/** After a fault, requests may fail for so long. */
const OVERCOME_MS = 30_000;

export class SiteLedger extends Ledger {
  /** Numbers of issues that were answered, by their titles. */
  iids = new Map();
  /** Commits that were acknowledged, by their messages. */
  commits = new Map();
  /** Reads of what the reader had written. */
  reads = 0;
  #strikes = [];
  #answered = 0;
  #failures = [];

  acknowledge(write, body) {
    super.acknowledge(write);
    this.succeed();
    if (body?.iid !== undefined) this.iids.set(write.name, body.iid);
  }

  leave(write, answer) {
    super.leave();
    this.fail(write.name, answer);
  }

  succeed() {
    this.#answered += 1;
  }

  /** Takes down that something was not answered, or with an error of the server. */
  fail(what, answer) {
    const text = typeof answer === 'string' ? answer : JSON.stringify(answer);
    this.#failures.push({ at: performance.now(), what, text: text.slice(-300) });
  }

  strike(name) {
    this.#strikes.push({ name, at: performance.now() });
  }

  /** Failures that no fault excuses, in words. */
  get unexcused() {
    return this.#failures
      .filter(({ at }) => !this.#strikes.some((strike) => isExcusedBy(at, strike)))
      .map(({ at, what, text }) => {
        const before = this.#strikes.filter((strike) => strike.at <= at).at(-1);
        const seconds =
          before === undefined ? '' : ` ${toSeconds(at - before.at)} after ${before.name}`;
        return `${what} failed${seconds}: ${text}`;
      });
  }

  /** @returns for each fault how many requests failed before the next, and the last of them how long after it, in words */
  describe() {
    const lines = this.#strikes.map(({ name, at }, index) => {
      const next = this.#strikes[index + 1]?.at ?? Infinity;
      const own = this.#failures.filter((failure) => failure.at >= at && failure.at < next);
      const last = own.length === 0 ? '' : `, the last after ${toSeconds(own.at(-1).at - at)}`;
      return `  ${name}: ${own.length} requests failed${last}`;
    });
    const failed = this.#failures.length;
    const share = ((100 * failed) / (failed + this.#answered)).toFixed(2);
    const written = `${this.commits.size} commits, ${this.acknowledged} other writes`;
    return [
      ...lines,
      `${this.#answered} requests answered, ${failed} (${share} %) failed`,
      `${written}; ${this.reads} reads of what the reader had written`,
    ];
  }
}

const isExcusedBy = (at, strike) => at >= strike.at && at < strike.at + OVERCOME_MS;
const toSeconds = (ms) => `${(ms / 1_000).toFixed(1)} s`;
