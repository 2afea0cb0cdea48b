// What goes wrong, and when: amid writes and deliveries.
import { setTimeout as delay } from 'node:timers/promises';
import { withDatabase } from '../crash/database.mjs';
import { until } from '../crash/processes.mjs';

const MOMENT_MS = 60_000;
const BACK_MS = 60_000;
const POLL_MS = 2;
const MANY_JOBS = 30;
const PILE_UP_MS = 1_500;
const OVERCOME_MS = 60_000;
/** The service writes again within this time after its primary was killed. */
const HEAL_MS = 30_000;
/** Each writer may have one answer yet to come to a write that was committed before the fail-over. */
const MOST_LATE_ANSWERS = 12;
const FAILOVER_MS = 30_000;

/** By the names that options take. Each answers what it has hit, for the log. */
export const STRIKES = {
  worker: (rig) => amid(rig, rig.sizes.deliveries, deliveriesOf(rig), killWorker),
  api: (rig) => amid(rig, rig.sizes.writes, writesOf(rig), killApi),
  database: (rig) => amid(rig, rig.sizes.writes, writesOf(rig), restartDatabase),
  receivers,
};

/** Those that need a Redis of one's own. */
export const REDIS_STRIKES = {
  'redis-frozen': (rig) => amid(rig, rig.sizes.deliveries, deliveriesOf(rig), freezeRedis),
  'redis-stopped': (rig) => amid(rig, rig.sizes.deliveries, deliveriesOf(rig), stopRedis),
  'redis-flushed': (rig) => amid(rig, rig.sizes.deliveries, deliveriesOf(rig), flushRedis),
};

/** Those that need a primary and a standby of one's own. */
export const CLUSTER_STRIKES = {
  primary: (rig) => amid(rig, rig.sizes.writes, writesOf(rig), (hit) => failOver(hit, 'kill')),
  'primary-frozen': (rig) =>
    amid(rig, rig.sizes.writes, writesOf(rig), (hit) => failOver(hit, 'freeze')),
};

/** Those that need a pooler of one's own. */
export const POOLER_STRIKES = {
  pooler: (rig) => amid(rig, rig.sizes.writes, writesOf(rig), restartPooler),
};

/** Those that need several servers, of which another takes the place of one that is lost. */
export const FAILOVER_STRIKES = {
  'redis-master-killed': (rig) => loseMasters(rig, KILLED),
  'redis-master-silent': (rig) => loseMasters(rig, SILENT),
};

/** Strikes at moments chosen at random while so many writes are made and delivered. */
async function amid(rig, count, done, strike) {
  const { writers, random } = rig;
  const { strikes } = rig.sizes;
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

async function failOver({ cluster, writers, ledger }, how) {
  const { open } = writers;
  const begun = performance.now();
  await cluster.failOver(how);
  const before = ledger.acknowledged;
  const hasWritten = () => ledger.acknowledged > before + MOST_LATE_ANSWERS;
  if (!(await until(hasWritten, HEAL_MS, POLL_MS))) {
    ledger.problems.push(`no write is taken ${HEAL_MS / 1000} s after the fail-over (${how})`);
  }
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  await cluster.replaceStandby();
  return `${open} writes open, written again after ${seconds} s`;
}

async function restartPooler({ pooler, writers }) {
  const { open } = writers;
  await pooler.kill();
  await pooler.resume();
  return `${open} writes open`;
}

async function freezeRedis(rig) {
  const held = await heldByQueue(rig);
  rig.redis.freeze();
  await delay(rig.sizes.awayMs);
  rig.redis.thaw();
  return held;
}

async function stopRedis(rig) {
  const held = await heldByQueue(rig);
  await rig.redis.kill();
  await delay(rig.sizes.awayMs);
  await rig.redis.resume();
  return held;
}

async function flushRedis(rig) {
  const held = await heldByQueue(rig);
  await rig.redis.empty();
  return held;
}

const KILLED = { lose: (server) => server.kill(), regain: (server) => server.resume() };
/** As one whose cable was pulled: it closes no connection, and comes back with what it had. */
const SILENT = { lose: (server) => server.freeze(), regain: (server) => server.thaw() };

async function loseMasters(rig, way) {
  await rig.redis.untilSafe();
  const lose = (each, index) => loseMaster(each, index, way);
  return amid(rig, rig.sizes.deliveries, deliveriesOf(rig), lose);
}

async function loseMaster(rig, index, { lose, regain }) {
  const { redis, ledger } = rig;
  if (index > 0) await redis.untilSafe();
  const held = await heldByQueue(rig, 0);
  const lost = await redis.master();
  const [{ acknowledged, unanswered }, begun] = [{ ...ledger }, performance.now()];
  for (const each of redis.machineOf(lost)) await lose(each);
  const isReplaced = async () => ![lost, undefined].includes(await redis.master());
  if (!(await until(isReplaced, FAILOVER_MS))) ledger.problems.push('no master in its place');
  const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
  await delay(rig.sizes.awayMs);
  const writes = ledger.acknowledged - acknowledged;
  const open = ledger.unanswered - unanswered;
  if (open > 0) ledger.problems.push(`${open} writes left open without a master of Redis`);
  for (const each of redis.machineOf(lost)) await regain(each);
  return `${held}, another master after ${seconds} s, ${writes} writes meanwhile`;
}

/** Waits a little for many jobs to be with the queue, and says how many are. */
async function heldByQueue({ service }, limitMs = PILE_UP_MS) {
  const held = 'SELECT count(*)::int AS jobs FROM outbox WHERE enqueued_at IS NOT NULL';
  return withDatabase(service, async (rows) => {
    let jobs = 0;
    const areMany = async () => (jobs = (await rows(held))[0].jobs) >= MANY_JOBS;
    await until(areMany, limitMs, POLL_MS);
    return `${jobs} jobs in the queue`;
  });
}

/** Bad receivers beside a healthy one, which must not wait for them. */
async function receivers(rig) {
  const { writers, ledger, badProject } = rig;
  const { healthy, stalling, dripping, failing, resetting } = rig.receivers;
  const count = Math.ceil(rig.sizes.deliveries / badProject.receivers.length);
  await writers.issues(badProject, count);
  const bad = [stalling, dripping, failing, resetting];
  await until(() => bad.every(({ answered }) => answered >= count), OVERCOME_MS);
  const held = after(healthy, [stalling, dripping]);
  for (const event of held) ledger.problems.push(`${event} reached the healthy receiver last`);
  const later = after(healthy, [failing, resetting]).length;
  const waits = waitsFor(healthy, ledger).sort((a, b) => a - b);
  const median = waits[Math.floor(waits.length / 2)];
  return `the healthy one waits ${median} ms in the median, ${waits.at(-1)} ms at most, ${later} times longer than a bad one`;
}

/** The events that reached a receiver only when others had had them again that they failed to take. */
function after(receiver, others) {
  const answered = answersOf(receiver);
  return others.flatMap(({ messages }) =>
    [...messages.values()]
      .filter(({ attempts }) => attempts > 1)
      .filter(({ event, answeredAt }) => !(answered.get(event) <= answeredAt))
      .map(({ event }) => event),
  );
}

const answersOf = ({ messages }) =>
  new Map([...messages.values()].map(({ event, answeredAt }) => [event, answeredAt]));

/** From the beginning of each write to the end of its delivery, in milliseconds. */
function waitsFor(receiver, { writes }) {
  const answered = answersOf(receiver);
  return [...writes.values()].flatMap(({ begunAt, tells }) => {
    const at = answered.get(tells[receiver.name]?.[0]);
    return at === undefined ? [] : [Math.round(at - begunAt)];
  });
}
