// Memory and scheduling of the service's processes, read from /proc.
import { readFileSync, readdirSync } from 'node:fs';

const PAGE_BYTES = 4096;

/**
 * Reads synchronously: one sample is taken within a millisecond, and processes that live for a few
 * milliseconds are still seen.
 */
export class ProcessSampler {
  /** Parents of all processes alive, by process id. */
  #parents = new Map();
  /** Descendants of the roots; a child stays one when its parent has ended. */
  #descendants = new Set();

  /** @param roots process ids of the service: `api`, whose memory and waiting count, and `worker` */
  constructor({ api, worker }) {
    this.api = api;
    this.roots = new Set([api, worker].filter(Boolean));
  }

  /**
   * @returns resident bytes of the api process (0 when it has ended), bytes and number of the
   *   processes that the service has started, and for how long the api's main thread has been ready
   *   to run without getting a core, in milliseconds since it started
   */
  sample() {
    this.#refresh();
    const children = [...this.#descendants].filter((pid) => this.#isChild(pid));
    return {
      apiBytes: residentBytes(this.api),
      childBytes: children.reduce((sum, pid) => sum + residentBytes(pid), 0),
      children: children.length,
      coreWaitMs: Number(readText(`/proc/${this.api}/schedstat`).split(' ')[1] ?? 0) / 1e6,
    };
  }

  /** Between fork and exec a process still has all memory of its parent, shared. */
  #isChild(pid) {
    const parent = this.#parents.get(pid);
    if (parent === undefined) return false;
    return readText(`/proc/${pid}/cmdline`) !== readText(`/proc/${parent}/cmdline`);
  }

  #refresh() {
    const alive = new Set(readdirSync('/proc').map(Number).filter(Number.isInteger));
    for (const pid of this.#parents.keys()) {
      if (alive.has(pid)) continue;
      this.#parents.delete(pid);
      this.#descendants.delete(pid);
    }
    for (const pid of alive) if (!this.#parents.has(pid)) this.#parents.set(pid, parentOf(pid));
    for (let before = -1; before < this.#descendants.size;) {
      before = this.#descendants.size;
      for (const [pid, parent] of this.#parents) {
        if (this.roots.has(parent) || this.#descendants.has(parent)) this.#descendants.add(pid);
      }
    }
  }
}

function parentOf(pid) {
  const text = readText(`/proc/${pid}/stat`);
  return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1] ?? 0);
}

function residentBytes(pid) {
  return Number(readText(`/proc/${pid}/statm`).split(' ')[1] ?? 0) * PAGE_BYTES;
}

/** Empty when the process has ended meanwhile. */
function readText(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
