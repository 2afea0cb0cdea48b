import { cpuMsOfDescendants } from './cpu-time.mjs';
import { median, ratioOf } from './statistics.mjs';

/**
 * What one round came to.
 * @typedef {object} Figure
 * @property {number} value in the scenario's unit
 * @property {number} times how often the thing was done
 * @property {Latency} [latency] of single requests, where they are many
 */

/** @typedef {{ p50: number, p99: number }} Latency milliseconds */

/**
 * One way to do what a scenario is about.
 * @typedef {object} Contender
 * @property {string} name
 * @property {(round: number) => Promise<Figure>} measure
 */

/**
 * Medians of a contender, with the figures of each round. `cpuMs` is the processor time of one
 * request or command, of all processes that take part but the one that asks; it tells more than
 * the clock where others use the machine too.
 * @typedef {{ name: string, median: number, rounds: number[], cpuMs: number, cpuRounds: number[],
 *   latency?: Latency }} Series
 */

/** @typedef {ReturnType<typeof ratioOf>} Ratio */

/**
 * A scenario's outcome: the service's own series, and each baseline's with what ours comes to
 * against it.
 * @typedef {object} Outcome
 * @property {string} scenario
 * @property {'req/s' | '/s' | 'ms'} unit
 * @property {Series} ours
 * @property {(Series & { ratio: Ratio, cpuRatio: Ratio })[]} baselines
 * @property {{ atLeast?: number, atMost?: number }} [goal] for the ratio against the first baseline
 * @property {import('./requests/cost.mjs').Cost} [cost]
 */

/**
 * Lets contenders take turns, the first of whom is the service. Who begins changes from round to
 * round.
 * @param {{ scenario: string, unit: 'req/s' | '/s' | 'ms', contenders: Contender[], rounds: number,
 *   before?: () => Promise<void>, progress: import('./progress.mjs').Progress }} options
 *   `before` runs ahead of every single measurement
 * @returns {Promise<Outcome>}
 */
export async function takeTurns({ scenario, unit, contenders, rounds, before, progress }) {
  const series = contenders.map(({ name }) => ({
    name,
    rounds: [],
    cpuRounds: [],
    latencyRounds: [],
  }));
  for (let round = 0; round < rounds; round += 1) {
    for (let turn = 0; turn < contenders.length; turn += 1) {
      const at = (round + turn) % contenders.length;
      progress.step(scenario, `${series[at].name}, round ${round + 1} of ${rounds}`);
      await before?.();
      await takeTurn(series[at], () => contenders[at].measure(round));
    }
  }
  return { scenario, unit, ...compared(series.map(summed)) };
}

async function takeTurn(series, measure) {
  const before = cpuMsOfDescendants();
  const { value, times, latency } = await measure();
  const after = cpuMsOfDescendants();
  series.rounds.push(value);
  if (latency !== undefined) series.latencyRounds.push(latency);
  series.cpuRounds.push((after - before) / times);
}

/** @returns {Series} */
function summed({ latencyRounds, ...series }) {
  const middle = (name) => median(latencyRounds.map((latency) => latency[name]));
  return {
    ...series,
    median: median(series.rounds),
    cpuMs: median(series.cpuRounds),
    ...(latencyRounds.length > 0 && { latency: { p50: middle('p50'), p99: middle('p99') } }),
  };
}

function compared([ours, ...others]) {
  const baselines = others.map((theirs) => ({
    ...theirs,
    ratio: ratioOf(ours.rounds, theirs.rounds),
    cpuRatio: ratioOf(ours.cpuRounds, theirs.cpuRounds),
  }));
  return { ours, baselines };
}

/**
 * Milliseconds that some work takes.
 * @returns {Promise<Figure>}
 */
export async function timed(work) {
  const begin = performance.now();
  await work();
  return { value: performance.now() - begin, times: 1 };
}
