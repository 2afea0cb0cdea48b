// Puts together what a profiled run has noted and sampled.

/** @typedef {import('./sampler.mjs').Interval} Interval */

/**
 * @typedef {object} Suite figures of one suite, or of what the suites of a batch share
 * @property {string} suite
 * @property {boolean} onRedis
 * @property {boolean} isShared
 * @property {number} wallMs
 * @property {number} cpuMs of its process, of the programs that this started, and of connections to its databases
 * @property {number} waitingMs wall time in which none of them used a processor
 * @property {number} serverMs processor time of connections to its databases
 * @property {object} figures as of the meter in test/support/profile
 * @property {object[]} tests with the time that each of them waits
 */

/**
 * @param {any[]} records notes about suites
 * @param {Interval[]} intervals
 * @param {Record<string, number>} databases processor time of connections, by database
 * @returns {Suite[]}
 */
export function summarizeSuites(records, intervals, databases) {
  const waiting = new Waiting(intervals);
  const byName = new Map();
  for (const record of records) {
    const suite = suiteOf(record, waiting, databases);
    const key = `${suite.suite} ${suite.onRedis}`;
    byName.set(key, byName.has(key) ? add(byName.get(key), suite) : suite);
  }
  return [...byName.values()].sort((a, b) => b.cpuMs - a.cpuMs);
}

/** The sum of all numbers that stand at the same place; what is no number is the first one's. */
export function add(one, other) {
  if (typeof one === 'number') return one + other;
  if (Array.isArray(one)) return [...one, ...other];
  if (typeof one !== 'object') return one;
  return Object.fromEntries(
    Object.entries(one).map(([key, value]) => [key, add(value, other[key])]),
  );
}

/** Files that Jest has run and that noted nothing: their process ended before they did. */
export function findUnmeasured(files, records) {
  const measured = new Set(records.map(placeOf));
  return files.map(placeOf).filter((place) => !measured.has(place));
}

/** Suites with failed tests; the file where Jest knows of a failure and none of its suites does. */
export function findFailed(files, records) {
  const failing = files.filter(({ failed }) => failed > 0);
  return failing.flatMap((file) => {
    const ofFile = records.filter((record) => placeOf(record) === placeOf(file));
    const suites = ofFile.filter(({ tests }) => tests.some(({ failed }) => failed));
    const names = suites.map(({ suite, onRedis }) => placeOf({ file: suite, onRedis }));
    return names.length === 0 ? [placeOf(file)] : [...new Set(names)];
  });
}

const placeOf = ({ file, onRedis }) => (onRedis ? `${file} (on Redis)` : file);

function suiteOf(record, waiting, databases) {
  const { suite, onRedis, isShared = false, figures, process, begin, end } = record;
  const wallMs = total(figures.activities, 'wallMs');
  const serverMs = record.databases.reduce((sum, name) => sum + (databases[name] ?? 0), 0);
  const own = { process, databases: record.databases };
  return {
    suite,
    onRedis,
    isShared,
    wallMs,
    serverMs,
    figures,
    cpuMs: total(figures.activities, 'cpuMs') + total(figures.programs, 'cpuMs') + serverMs,
    // What suites share happens before and after them; their own waiting is not to count twice.
    waitingMs: isShared ? 0 : waiting.between(begin, end, own),
    tests: record.tests.map((test) => ({
      name: test.name,
      failed: test.failed,
      wallMs: test.end - test.begin,
      waitingMs: waiting.between(test.begin, test.end, own),
    })),
  };
}

function total(group, figure) {
  return Object.values(group).reduce((sum, figures) => sum + figures[figure], 0);
}

class Waiting {
  #intervals;

  /** @param {Interval[]} intervals in the order of time */
  constructor(intervals) {
    this.#intervals = intervals;
  }

  /** Milliseconds of a span of time in which neither a process nor PostgreSQL for its databases was busy. */
  between(begin, end, { process, databases }) {
    let waitingMs = 0;
    for (let at = this.#firstAfter(begin); at < this.#intervals.length; at += 1) {
      const interval = this.#intervals[at];
      if (interval.begin >= end) break;
      const length = interval.end - interval.begin;
      const inside = Math.min(end, interval.end) - Math.max(begin, interval.begin);
      const ofDatabases = databases.map((name) => interval.databases[name] ?? 0);
      const parts = [interval.processes[process] ?? 0, interval.server, ...ofDatabases];
      const busyMs = parts.reduce((sum, part) => sum + part, 0);
      if (length > 0) waitingMs += (Math.max(0, length - busyMs) * inside) / length;
    }
    return waitingMs;
  }

  /** The index of the first interval that ends after a moment. */
  #firstAfter(moment) {
    let [low, high] = [0, this.#intervals.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#intervals[middle].end > moment) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
