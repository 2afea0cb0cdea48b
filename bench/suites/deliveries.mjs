import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Plain } from '../deliveries/plain.mjs';
import {
  forgetIdleJobs,
  queueDeliveries,
  queueIdleJobs,
  relayed,
  rowsLeft,
} from '../deliveries/queued-rows.mjs';
import { Receiver } from '../deliveries/receiver.mjs';
import { startOwnRedis } from '../deliveries/redis-server.mjs';
import { takeTurns } from '../rounds.mjs';
import { Service } from '../service.mjs';
import { median, percentile } from '../statistics.mjs';

const LEAST_DELIVERIES = 300;
const LEAST_ROWS = 2_000;
const MOST_MS = 100;
const POLL_MS = 20;
const PATIENCE_MS = 30_000;
/** Between two single deliveries: both sides have nothing to do. */
const PAUSE_MS = 30;

/**
 * One worker that delivers, beside the plain ways to do so.
 * @typedef {object} Place
 * @property {string} label
 * @property {import('../database.mjs').Database} database
 * @property {Receiver} receiver
 * @property {Plain} plain
 * @property {number} hookId
 * @property {Service} service
 */

/** What a worker delivers to a fast receiver, with the queue in PostgreSQL and in Redis. */
export async function measureDeliveries(world) {
  const { folder, progress } = world;
  progress.step('deliveries: starting');
  const redisUrl = await startOwnRedis(path.join(folder, 'redis'));
  const outcomes = [];
  const targets = [];
  for (const backend of [{ label: 'PostgreSQL' }, { label: 'Redis', redisUrl }]) {
    if (backend.label === 'Redis' && redisUrl === undefined) {
      targets.push({ name: 'queue in Redis: not measured, no redis-server on PATH' });
      continue;
    }
    const results = await measureBackend(world, backend);
    outcomes.push(...results.outcomes);
    targets.push(...results.targets);
  }
  return { outcomes, targets };
}

async function measureBackend(world, { label, redisUrl }) {
  const { folder, options } = world;
  const name = `deliveries_${label.toLowerCase()}`;
  const database = await world.database.another(name);
  const place = path.join(folder, name);
  await mkdir(place);
  const service = await Service.start({
    folder: place,
    databaseUrl: database.url,
    profile: options.profile,
    environment: { WEBHOOK_ALLOW_LOCAL: 'true', ...(redisUrl && { REDIS_URL: redisUrl }) },
  });
  const receiver = await Receiver.start();
  const hook = await service.call('POST', '/hooks', { url: receiver.url, token: 'bench' });
  const plain = await Plain.start({ url: receiver.url, databaseUrl: database.url, redisUrl });
  const all = { label, database, receiver, plain, hookId: hook.id, service };
  const results = { outcomes: [], targets: [] };
  for (const scenario of [deliveries, relay, latency, workers]) {
    const { outcome, targets } = await scenario(world, all);
    if (outcome !== undefined) results.outcomes.push(outcome);
    results.targets.push(...targets);
  }
  await Promise.all([plain.stop(), service.stop()]);
  await receiver.stop();
  return results;
}

/** @param {Place} place */
async function deliveries({ options, progress }, { label, database, receiver, plain, hookId }) {
  const { firstDeliveries, deliveryRounds: rounds, deliveries: count } = options.effort;
  const scenario = `deliveries, queue in ${label}`;
  const ways = {
    trellis: (times) => queueDeliveries(database, hookId, times),
    'BullMQ, its worker posts': (times) => plain.deliver(times),
    'posted by node alone': (times) => plain.post(times),
  };
  const contenders = Object.entries(ways).map(([name, send]) => ({
    name,
    measure: async (_round, times = count) => {
      const arrivals = receiver.receive(times);
      await send(times);
      const moments = await arrivals;
      await untilNoneIsLeft(database);
      return { value: (times - 1) / ((moments.at(-1) - moments[0]) / 1000), times };
    },
  }));
  progress.step(scenario, 'warming up');
  for (const { measure } of contenders) await measure(0, firstDeliveries);
  const outcome = await takeTurns({ scenario, unit: '/s', contenders, rounds, progress });
  const left = await rowsLeft(database);
  const { median: rate, cpuMs } = outcome.ours;
  const targets = [
    { name: scenario, value: rate, unit: '/s', atLeast: LEAST_DELIVERIES },
    { name: 'processor time of one', value: cpuMs, unit: 'ms' },
    { name: 'rows left in the outbox', value: left, unit: '', atMost: 0 },
  ];
  return { outcome, targets };
}

/** Jobs that are handed over and run by nobody, so that all of the time is the relay's. */
async function relay({ options, progress }, { label, database, plain }) {
  const { relayRounds: rounds, relayRows: count } = options.effort;
  const scenario = `rows from the outbox to the queue in ${label}`;
  const ours = async () => {
    const moment = await queueIdleJobs(database, count);
    return { value: count / (await untilRelayed(database, moment)), times: count };
  };
  const theirs = async () => {
    return { value: count / ((await plain.enqueue(count)) / 1000), times: count };
  };
  const outcome = await takeTurns({
    scenario,
    unit: '/s',
    rounds,
    progress,
    contenders: [
      { name: 'trellis', measure: ours },
      { name: 'addBulk of BullMQ', measure: theirs },
    ],
    before: async () => {
      await forgetIdleJobs(database);
      await plain.forget();
    },
  });
  await forgetIdleJobs(database);
  const rate = outcome.ours.median;
  return { outcome, targets: [{ name: scenario, value: rate, unit: '/s', atLeast: LEAST_ROWS }] };
}

/** From asking for the commit to the first byte at the receiver, one at a time. */
async function latency({ options, progress }, { label, database, receiver, plain, hookId }) {
  const scenario = `commit to first byte, queue in ${label}`;
  const single = (send) => async () => {
    const arrivals = receiver.receive(1);
    const begin = performance.now();
    const sent = send();
    const [arrival] = await arrivals;
    await sent;
    await untilNoneIsLeft(database);
    return { value: arrival - begin, times: 1 };
  };
  const outcome = await takeTurns({
    scenario,
    unit: 'ms',
    rounds: options.effort.singleDeliveries,
    progress,
    contenders: [
      { name: 'trellis', measure: single(() => queueDeliveries(database, hookId, 1)) },
      { name: 'BullMQ, its worker posts', measure: single(() => plain.deliver(1)) },
    ],
    before: () => delay(PAUSE_MS),
  });
  const { rounds } = outcome.ours;
  const targets = [
    { name: `${scenario}, p50`, value: median(rounds), unit: 'ms', atMost: MOST_MS },
    { name: `${scenario}, p95`, value: percentile(rounds, 95), unit: 'ms' },
  ];
  return { outcome, targets };
}

/** The same deliveries with one, two and three workers. The last scenario, since the workers stay. */
async function workers({ options, progress }, { label, database, receiver, hookId, service }) {
  const { deliveryRounds, deliveries: count } = options.effort;
  const scenario = `deliveries by several workers, queue in ${label}`;
  const rates = [];
  for (const number of [1, 2, 3]) {
    if (number > 1) service.addWorker();
    progress.step(scenario, `${number} workers`);
    // The first round is the warm-up of the worker that was added.
    for (let round = 0; round <= deliveryRounds; round += 1) {
      const arrivals = receiver.receive(count);
      await queueDeliveries(database, hookId, count);
      const moments = await arrivals;
      await untilNoneIsLeft(database);
      if (round === 0) rates.push([]);
      else rates.at(-1).push((count - 1) / ((moments.at(-1) - moments[0]) / 1000));
    }
  }
  const targets = rates.map((each, index) => ({
    name: `${scenario}: ${index + 1}`,
    value: median(each),
    unit: '/s',
  }));
  return { outcome: undefined, targets };
}

async function untilRelayed(database, moment) {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const { waiting, seconds } = await relayed(database, moment);
    if (waiting === 0) return seconds;
    if (performance.now() > deadline) throw new Error(`The relay has left ${waiting} rows`);
    await delay(POLL_MS);
  }
}

async function untilNoneIsLeft(database) {
  const deadline = performance.now() + PATIENCE_MS;
  while ((await rowsLeft(database)) > 0 && performance.now() < deadline) await delay(POLL_MS);
}
