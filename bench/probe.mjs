import { setTimeout as delay } from 'node:timers/promises';

const EVERY_MS = 100;
const PAGE = 20;
/** A later end each time, in seconds, so that no answer is known already: git is asked for each. */
const BEGIN = 2_000_000_000;

/** Reads a project ten times a second while something else is done, and remembers the longest wait. */
export class Probe {
  #service;
  #project;
  #asked = 0;
  /** Milliseconds. */
  longest = 0;

  constructor(service, project) {
    this.#service = service;
    this.#project = project;
  }

  /**
   * @template T
   * @param {() => Promise<T>} work
   * @param {{ counts?: boolean }} [options] whether these reads count for the longest; true unless told
   * @returns {Promise<T>} what it resolves with, when the last read is answered too
   */
  async during(work, { counts = true } = {}) {
    const ended = new AbortController();
    const reads = this.#read(ended.signal, counts);
    try {
      return await work();
    } finally {
      ended.abort();
      await reads;
    }
  }

  async #read(signal, counts) {
    const reads = [];
    while (!signal.aborted) {
      reads.push(this.#one(counts));
      await delay(EVERY_MS);
    }
    await Promise.all(reads);
  }

  async #one(counts) {
    this.#asked += 1;
    const until = new Date((BEGIN + this.#asked) * 1000).toISOString();
    const query = `until=${until}&per_page=${PAGE}`;
    const begin = performance.now();
    await this.#service.call('GET', `/projects/${this.#project.id}/repository/commits?${query}`);
    if (counts) this.longest = Math.max(this.longest, performance.now() - begin);
  }
}
