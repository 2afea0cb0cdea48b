import autocannon from 'autocannon';
import { takeTurns } from './rounds.mjs';
import { percentile } from './statistics.mjs';

export const CONNECTIONS = 8;
const SAMPLE_MS = 50;

/**
 * What is asked for.
 * @typedef {object} Target
 * @property {string | (() => string)} url a function makes the address of each request
 * @property {'GET' | 'POST'} [method] GET unless told
 * @property {Record<string, string>} [headers]
 * @property {object} [body] sent as JSON
 */

/** @param {Target} target */
function requestOf({ url, method = 'GET', headers = {}, body }) {
  const json = body && { 'Content-Type': 'application/json' };
  return {
    url: typeof url === 'string' ? url : url(),
    method,
    headers: { ...headers, ...json },
    ...(body && { body: JSON.stringify(body) }),
  };
}

/** Autocannon's way to send each request to an address of its own. */
function eachTo(next) {
  const setupRequest = (request) => {
    const { pathname, search } = new URL(next());
    return { ...request, path: pathname + search };
  };
  return { requests: [{ setupRequest }] };
}

/**
 * Asks for a target as fast as answers come, on a few connections.
 * @param {Target} target
 * @param {number} seconds
 * @returns {Promise<import('./rounds.mjs').Figure>} answers per second
 * @throws Error when an answer is not a success, or none came
 */
export async function requestRate(target, seconds) {
  const request = requestOf(target);
  const run = autocannon({
    ...request,
    ...(typeof target.url === 'function' && eachTo(target.url)),
    connections: CONNECTIONS,
    duration: seconds,
    sampleInt: SAMPLE_MS,
  });
  const latencies = [];
  run.on('response', (_client, _status, _bytes, milliseconds) => latencies.push(milliseconds));
  const result = await run;
  const failures = result.non2xx + result.errors;
  if (failures > 0) throw new Error(`${request.url}: ${failures} requests failed`);
  const times = result['2xx'];
  if (times === 0) throw new Error(`${request.url}: no answer within ${seconds} s`);
  const latency = { p50: percentile(latencies, 50), p99: percentile(latencies, 99) };
  return { value: times / result.duration, times, latency };
}

/**
 * Compares how many answers per second targets give, after each has been asked for a while. The first is ours.
 * @param {import('./bench.mjs').World} world
 * @param {{ scenario: string, targets: Record<string, Target>, before?: () => Promise<unknown> }} compared targets
 *   by their names; `before` as in `takeTurns`
 */
export async function compareRates({ options, progress }, { scenario, targets, before }) {
  const { readRounds: rounds, readSeconds, warmUpSeconds } = options.effort;
  for (const target of Object.values(targets)) {
    progress.step(scenario, 'warming up');
    await requestRate(target, warmUpSeconds);
  }
  const contenders = Object.entries(targets).map(([name, target]) => ({
    name,
    measure: () => requestRate(target, readSeconds),
  }));
  return takeTurns({ scenario, unit: 'req/s', contenders, rounds, before, progress });
}

/**
 * Asks for a target once.
 * @param {Target} target
 * @returns {Promise<string>} the body of the answer
 * @throws Error when it is not a success
 */
export async function requestOnce(target) {
  const { url, ...init } = requestOf(target);
  const response = await fetch(url, init);
  const text = await response.text();
  if (!response.ok) throw new Error(`${init.method} ${url}: ${response.status} ${text}`);
  return text;
}
