// What goes wrong, and when: amid writes and deliveries.
import { setTimeout as delay } from 'node:timers/promises';
import { withDatabase } from '../crash/database.mjs';
import { until } from '../crash/processes.mjs';

const MOMENT_MS = 60_000;
const BACK_MS = 60_000;
const POLL_MS = 2;
/** An attempt ends after ten seconds at the latest: nothing may hold healthy receivers up for as long. */
const ATTEMPT_MS = 10_000;

/** By the names that options take. Each answers what it has hit, for the log. */
export const STRIKES = {
  worker: (rig) => amid(rig, rig.sizes.deliveries, deliveriesOf(rig), killWorker),
  api: (rig) => amid(rig, rig.sizes.writes, writesOf(rig), killApi),
  database: (rig) => amid(rig, rig.sizes.writes, writesOf(rig), restartDatabase),
  receivers,
};

/** Those that need a Redis of one's own. */
export const REDIS_STRIKES = {
  'redis-frozen': (rig) => amid(rig, rig.sizes.writes, writesOf(rig), freezeRedis),
  'redis-stopped': (rig) => amid(rig, rig.sizes.writes, writesOf(rig), stopRedis),
  'redis-flushed': (rig) => amid(rig, rig.sizes.deliveries, deliveriesOf(rig), flushRedis),
};

/** Strikes at moments chosen at random while so many writes are made and delivered. */
async function amid(rig, count, done, strike) {
  const { writers, random, strikes } = rig;
  const writing = writers.mixed(rig.project, count);
  const hits = [];
  for (let index = 0; index < strikes; index += 1) {
    const share = (0.1 + 0.6 * ((index + random.next()) / strikes)) * count;
    if (!(await until(() => done() >= share, MOMENT_MS, POLL_MS))) {
      rig.ledger.problems.push(`only ${done()} of ${count} were done in time for a fault`);
    }
    hits.push(await strike(rig, index));
  }
  await writing;
  return hits.join(', ');
}

function writesOf({ ledger }) {
  const before = ledger.acknowledged;
  return () => ledger.acknowledged - before;
}

function deliveriesOf({ receivers }) {
  const before = receivers.project.answered;
  return () => receivers.project.answered - before;
}

const openOf = ({ receivers }) => receivers.project.open + receivers.system.open;

async function killWorker(rig) {
  await until(() => openOf(rig) > 0, MOMENT_MS, POLL_MS);
  const open = openOf(rig);
  await rig.service.kill('worker');
  await delay(rig.random.integer(0, 500));
  await rig.service.start();
  return `${open} requests open`;
}

async function killApi(rig) {
  const { open } = rig.writers;
  await rig.service.kill('api');
  await delay(rig.random.integer(0, 500));
  await rig.service.start();
  return `${open} writes open`;
}

/** In turn as by a power cut and in order; it comes back by itself. */
async function restartDatabase(rig, index) {
  const { service, writers } = rig;
  const signal = index % 2 === 0 ? 'SIGKILL' : 'SIGINT';
  const before = await service.postmasterPid();
  const { open } = writers;
  process.kill(before, signal);
  const isBack = async () => ![before, undefined].includes(await service.postmasterPid());
  if (!(await until(isBack, BACK_MS))) throw new Error('PostgreSQL does not come back');
  await withDatabase(service, (rows) => rows('SELECT 1'));
  const dead = service.ended();
  if (dead.length > 0) {
    rig.ledger.problems.push(`${dead.join(', ')} ended because the database did`);
    await service.start();
  }
  return `${signal} with ${open} writes open`;
}

async function freezeRedis({ redis, awayMs, ...rig }) {
  const open = openOf(rig);
  redis.freeze();
  await delay(awayMs);
  redis.thaw();
  return `${awayMs} ms with ${open} requests open`;
}

async function stopRedis({ redis, awayMs, ...rig }) {
  const open = openOf(rig);
  await redis.kill();
  await delay(awayMs);
  await redis.resume();
  return `${awayMs} ms with ${open} requests open`;
}

async function flushRedis({ redis, ...rig }) {
  await until(() => openOf(rig) > 0, MOMENT_MS, POLL_MS);
  const open = openOf(rig);
  await redis.empty();
  return `${open} requests open`;
}

/** Bad receivers beside a healthy one, which must not wait for them. */
async function receivers(rig) {
  const { writers, ledger, badProject } = rig;
  const { healthy } = rig.receivers;
  const first = ledger.writes.size;
  const count = Math.ceil(rig.sizes.deliveries / badProject.receivers.length);
  await writers.issues(badProject, count);
  const writes = [...ledger.writes.values()].slice(first);
  await until(() => healthy.answered >= count, BACK_MS);
  const waits = waitsFor(healthy, writes).sort((a, b) => a - b);
  const longest = waits.at(-1) ?? 0;
  if (waits.length < count || longest >= ATTEMPT_MS) {
    ledger.problems.push(
      `the healthy receiver got ${waits.length} of ${count}, the last after ${longest} ms`,
    );
  }
  const median = waits[Math.floor(waits.length / 2)];
  return `the healthy one waits ${median} ms in the median, ${longest} ms at most`;
}

/** From the beginning of each write to the end of its delivery, in milliseconds. */
function waitsFor(receiver, writes) {
  const messages = [...receiver.messages.values()];
  const answered = new Map(messages.map(({ event, answeredAt }) => [event, answeredAt]));
  return writes.flatMap(({ begunAt, tells }) => {
    const at = answered.get(tells[receiver.name][0]);
    return at === undefined ? [] : [Math.round(at - begunAt)];
  });
}
