import { requestOnce } from '../load.mjs';
import { targetsOf } from './scenarios.mjs';
import { Service } from '../service.mjs';
import { median } from '../statistics.mjs';
import { StatementCounter } from './statement-counter.mjs';

const WARM_UP = 5;
const REQUESTS = 20;

/**
 * What a single request costs.
 * @typedef {object} Cost
 * @property {number} statements for PostgreSQL, `BEGIN` and `COMMIT` included
 * @property {number} roundTrips how often the service waits for PostgreSQL
 * @property {number} bytes of the answer's body
 * @property {number} plainBytes of the baseline's
 */

/**
 * Sends each request a few times to an api process of its own, whose way to PostgreSQL is watched: no
 * extension of the server is needed, and the measured process knows nothing of it.
 * @param {import('../bench.mjs').World} world
 * @param {import('./scenarios.mjs').RequestScenario[]} scenarios
 * @param {Record<string, string>} headers
 * @returns {Promise<Map<string, Cost>>} by scenario
 */
export async function measureCosts({ folder, database, baseline, progress }, scenarios, headers) {
  const counter = await StatementCounter.start(database.url);
  const api = { folder, databaseUrl: counter.url, withWorker: false };
  const service = await Service.start(api);
  const costs = new Map();
  try {
    for (const scenario of scenarios) {
      progress.step(scenario.scenario, 'counting statements');
      const { ours, theirs } = targetsOf(scenario, { service, baseline }, headers);
      const plainBytes = Buffer.byteLength(await requestOnce(theirs));
      costs.set(scenario.scenario, { ...(await costOf(ours, counter)), plainBytes });
    }
  } finally {
    await service.stop();
    await counter.stop();
  }
  return costs;
}

/** The medians of some requests, since the process also does other work now and then. */
async function costOf(target, counter) {
  const counts = [];
  let bytes;
  for (let count = 0; count < WARM_UP + REQUESTS; count += 1) {
    const sent = await counter.count(async () => {
      bytes = Buffer.byteLength(await requestOnce(target));
    });
    if (count >= WARM_UP) counts.push(sent);
  }
  return {
    statements: median(counts.map(({ statements }) => statements)),
    roundTrips: median(counts.map(({ roundTrips }) => roundTrips)),
    bytes,
  };
}
