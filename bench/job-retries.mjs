// Compares jobs of the outbox with jobs whose attempts, back-off and delays BullMQ carries by itself: processor time
// and rate of jobs that succeed, that fail once, and that are delayed, with the queue in PostgreSQL and in Redis.
// Run `npm run build` first; `node bench/job-retries.mjs [rounds]`.
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { endAll } from './children.mjs';
import { Cleanup } from './cleanup.mjs';
import { Database } from './database.mjs';
import { startOwnRedis } from './deliveries/redis-server.mjs';
import { JobProcess } from './job-retries/job-process.mjs';
import { Progress } from './progress.mjs';
import { takeTurns } from './rounds.mjs';

const ROUNDS = Number(process.argv[2] ?? 5);
const SCENARIOS = { succeed: 2_000, 'fail-once': 500, delayed: 500 };
const WARM_UP = 200;

const WAYS = [
  { name: 'trellis', script: 'outbox-jobs.mjs' },
  { name: 'BullMQ alone', script: 'plain-jobs.mjs' },
];

const progress = new Progress();
const cleanup = new Cleanup();
try {
  const folder = await mkdtemp(path.join(tmpdir(), 'trellis-bench-'));
  cleanup.add(() => rm(folder, { recursive: true, force: true }));
  // PostgreSQL may run as another user, who has to get through.
  await chmod(folder, 0o711);
  const server = await Database.start(path.join(folder, 'database'));
  cleanup.add(() => server.stop());
  cleanup.add(endAll);
  await measureBackend(server, 'PostgreSQL');
  const redisUrl = await startOwnRedis(path.join(folder, 'redis'));
  if (redisUrl === undefined) console.log('Redis: not measured, no redis-server on PATH');
  else await measureBackend(server, 'Redis', redisUrl);
} finally {
  progress.done();
  await cleanup.run();
}

async function measureBackend(server, label, redisUrl) {
  const contenders = [];
  for (const [index, way] of WAYS.entries()) {
    const database = await server.another(`jobs_${label.toLowerCase()}_${index}`);
    // A database of Redis each: the ways share the names of their queues.
    const settings = {
      databaseUrl: database.url,
      redisUrl: redisUrl?.replace(/0$/, String(index)),
    };
    const process = await JobProcess.start(way.script, settings);
    contenders.push({ ...way, process, database });
  }
  for (const [job, count] of Object.entries(SCENARIOS)) {
    for (const { process } of contenders) await process.run(job, WARM_UP);
    const writes = new Map(contenders.map(({ name }) => [name, 0]));
    const outcome = await takeTurns({
      scenario: `${job}, queue in ${label}`,
      ...{ unit: '/s', rounds: ROUNDS, progress },
      contenders: contenders.map(({ name, process, database }) => ({
        name,
        measure: async () => {
          const before = await writesOf(database);
          const seconds = await process.run(job, count);
          writes.set(name, writes.get(name) + (await writesOf(database)) - before);
          return { value: count / seconds, times: count };
        },
      })),
    });
    print(outcome, (name) => writes.get(name) / (ROUNDS * count));
  }
  await Promise.all(contenders.map(({ process }) => process.stop()));
}

/** Transactions that wrote so far, of the whole server. */
async function writesOf(database) {
  const [{ count }] = await database.rows(
    'SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint::float8 AS count',
  );
  return count;
}

function print({ scenario, ours, baselines }, writesOfOne) {
  console.log(scenario);
  for (const { name, median, cpuMs, ratio, cpuRatio } of [ours, ...baselines]) {
    const compared = ratio && `; ours / this: ${shown(ratio)}, processor time ${shown(cpuRatio)}`;
    console.log(
      `  ${name.padEnd(16)} ${median.toFixed(0).padStart(6)}/s ${cpuMs.toFixed(2)} ms, ` +
        `${writesOfOne(name).toFixed(2)} writing transactions of one job${compared ?? ''}`,
    );
  }
}

function shown({ median, least, most }) {
  return `${median.toFixed(2)} (${least.toFixed(2)} to ${most.toFixed(2)})`;
}
