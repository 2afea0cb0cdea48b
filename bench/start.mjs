// Measures the second start of the service: milliseconds until it is ready, processor time until then, and main memory
// then and after a rest, of the all-in-one on its embedded server, and of an api and a worker process apart.
// Run `npm run build` first; `node bench/start.mjs [rounds]`.
import { closeSync, openSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../scripts/free-port.mjs';
import { inRoot, MAIN } from '../scripts/paths.mjs';
import { processTimes } from '../scripts/processes.mjs';
import { end, endAll, hasEnded, start } from './children.mjs';
import { Cleanup } from './cleanup.mjs';
import { Database } from './database.mjs';
import { residentMegabytes } from './resident-memory.mjs';
import { median } from './statistics.mjs';

const ROUNDS = Number(process.argv[2] ?? 5);
/** V8 returns what the start took, mostly within half a minute of rest. */
const REST_MS = 40_000;
const POLL_MS = 10;
const PATIENCE_MS = 120_000;
const WORKER_IS_READY = 'The worker is running';

/** The goals of a process; memory of the all-in-one has none. */
const ROLES = {
  all: { readyMs: 3_000 },
  api: { readyMs: 3_000, megabytes: 120 },
  worker: { readyMs: 3_000, megabytes: 110 },
};

const cleanup = new Cleanup();
try {
  const folder = await mkdtemp(path.join(tmpdir(), 'trellis-bench-'));
  cleanup.add(() => rm(folder, { recursive: true, force: true }));
  // PostgreSQL may run as another user, who has to get through.
  await chmod(folder, 0o711);
  const database = await Database.start(path.join(folder, 'database'));
  cleanup.add(() => database.stop());
  cleanup.add(endAll);
  const apart = { DATA_DIR: path.join(folder, 'apart'), DATABASE_URL: database.url };
  const places = { all: { DATA_DIR: path.join(folder, 'all') }, api: apart, worker: apart };
  await migrate(folder, apart);
  const measured = { all: [], api: [], worker: [] };
  // The first round is the first start, or fills the caches of the file system.
  for (let round = 0; round <= ROUNDS; round++) {
    const started = [];
    for (const role of Object.keys(ROLES)) {
      started.push(await measureStart(role, folder, places[role]));
    }
    if (round > 0) await delay(REST_MS);
    for (const { role, child, ...figures } of started) {
      const megabytes = await residentMegabytes(child.pid);
      if (round > 0) measured[role].push({ ...figures, megabytes });
      await end(child);
    }
  }
  print(measured);
} finally {
  await cleanup.run();
}

async function measureStart(role, folder, place) {
  const begin = performance.now();
  const service = await launch(role, folder, place);
  await untilReady(service);
  const readyMs = performance.now() - begin;
  const { child } = service;
  const cpuMs = processTimes(child.pid)?.ownMs;
  return { role, child, readyMs, cpuMs, megabytesReady: await residentMegabytes(child.pid) };
}

async function launch(role, folder, place, args = ['start', role]) {
  const port = await freePort();
  const logPath = path.join(folder, `${role}.log`);
  const log = openSync(logPath, 'w');
  const child = start(process.execPath, [MAIN, ...args], {
    cwd: inRoot(),
    env: {
      PATH: process.env.PATH,
      NODE_OPTIONS: process.env.NODE_OPTIONS,
      PORT: String(port),
      SSH_PORT: String(await freePort()),
      ...place,
    },
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  return { role, port, logPath, child };
}

async function migrate(folder, place) {
  const { child, logPath } = await launch('migrate', folder, place, ['migrate']);
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(await readFile(logPath, 'utf8'));
}

async function untilReady(service) {
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await isReady(service))) {
    if (hasEnded(service.child) || performance.now() > deadline) {
      throw new Error(await readFile(service.logPath, 'utf8'));
    }
    await delay(POLL_MS);
  }
}

async function isReady({ role, port, logPath }) {
  if (role === 'worker') return (await readFile(logPath, 'utf8')).includes(WORKER_IS_READY);
  const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
  return answer?.ok === true;
}

function print(measured) {
  for (const [role, rounds] of Object.entries(measured)) {
    const figures = Object.entries({
      readyMs: 'ms',
      cpuMs: 'ms of processor',
      megabytesReady: 'MB when ready',
      megabytes: 'MB at rest',
    });
    const texts = figures.map(([name, unit]) => {
      const values = rounds.map((round) => round[name]).filter((value) => value !== undefined);
      if (values.length === 0) return `? ${unit}`;
      const most = Math.round(Math.max(...values));
      const goal = ROLES[role][name];
      const aim = goal === undefined ? '' : `, goal ${goal}`;
      return `${Math.round(median(values))} ${unit} (most ${most}${aim})`;
    });
    console.log(`${role.padEnd(7)} ${texts.join('   ')}`);
  }
}
