// Puts suites into batches for a run of all of them. Jest loads every module anew for each file it runs;
// in a batch, suites share what was loaded, which saves half of the time of most.
import { rmSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { runJest } from './jest.mjs';
import { inRoot } from './paths.mjs';
import { findSuites } from './suites.mjs';

const BATCHES = inRoot('test', 'batches');
/** Wall time of each suite, in seconds; `npm run test:profile` writes it. */
const DURATIONS = inRoot('test', 'durations.json');
/** Of suites that have not been measured yet. */
const UNKNOWN_SECONDS = 3;
/**
 * Larger batches load less, smaller ones leave less in memory. The last ones are short, so that all workers end closer
 * together.
 */
const SECONDS_IN_BATCH = { most: 90, last: 30 };
const SHARE_OF_LAST = 0.2;
const DEFAULT_TIMEOUT_MS = 60_000;

/**
 * Runs suites in batches, those with that tag on Redis as well if there is an address of one.
 * @param {import('./suites.mjs').Suite[]} suites
 * @param {string} [redisUrl]
 * @param {{ env?: Record<string, string> }} [options] and those of `runToEnd`
 */
export async function runInBatches(suites, redisUrl, { env, ...options } = {}) {
  const abandon = () => rmSync(BATCHES, { recursive: true, force: true });
  process.once('exit', abandon);
  try {
    const files = await writeBatches(suites, redisUrl !== undefined);
    const ofBatches = { ...env, TEST_BATCHES: 'true' };
    return await runJest([], { ...options, redisUrl, files, env: ofBatches });
  } finally {
    await removeBatches();
    process.off('exit', abandon);
  }
}

/** Writes the batches of each Jest project, numbered from the longest to the shortest; returns how many there are. */
async function writeBatches(suites, onRedis) {
  // Of a run that was killed.
  await removeBatches();
  const durations = await readDurations();
  const projects = {
    unit: suites.filter(({ tier }) => tier === 'unit'),
    contract: suites.filter(({ tier }) => tier === 'contract'),
    e2e: suites.filter(({ tier }) => tier === 'e2e'),
    redis: onRedis ? suites.filter(({ runsOnRedis }) => runsOnRedis) : [],
  };
  const batches = Object.entries(projects).flatMap(([project, chosen]) =>
    intoBatches(chosen, durations).map((batch) => ({ project, ...batch })),
  );
  batches.sort((a, b) => b.seconds - a.seconds);
  await Promise.all(batches.map(writeBatch));
  return batches.length;
}

function removeBatches() {
  return rm(BATCHES, { recursive: true, force: true });
}

/** Records what suites took, for the batches of later runs. Those that were not run keep their durations. */
export async function writeDurations(suites) {
  const taken = suites.map(({ suite, wallMs }) => [suite, Number((wallMs / 1000).toFixed(1))]);
  const durations = { ...(await readDurations()), ...Object.fromEntries(taken) };
  const existing = new Set((await findSuites()).map((suite) => suite.path));
  const entries = Object.entries(durations).filter(([suite]) => existing.has(suite));
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  await writeFile(DURATIONS, `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`);
}

async function readDurations() {
  return JSON.parse(await readFile(DURATIONS, 'utf8'));
}

/** The longest suite first, each into the batch of which it leaves the most. */
function intoBatches(suites, durations) {
  const weighted = suites.map(({ path: suite, isAlone }) => ({
    suite,
    isAlone,
    seconds: durations[suite] ?? UNKNOWN_SECONDS,
  }));
  weighted.sort((a, b) => b.seconds - a.seconds);
  const together = weighted.filter(({ isAlone }) => !isAlone);
  const batches = emptyBatches(together.reduce((sum, { seconds }) => sum + seconds, 0));
  for (const { suite, seconds } of together) {
    const share = (batch) => (batch.seconds + seconds) / batch.room;
    const emptiest = batches.reduce((least, batch) =>
      share(batch) < share(least) ? batch : least,
    );
    emptiest.suites.push(suite);
    emptiest.seconds += seconds;
  }
  const alone = weighted.filter(({ isAlone }) => isAlone);
  return [
    ...alone.map(({ suite, seconds }) => ({ suites: [suite], seconds })),
    ...batches.filter(({ suites: { length } }) => length > 0),
  ];
}

function emptyBatches(seconds) {
  const { most, last } = SECONDS_IN_BATCH;
  const count = (share, room) => Math.ceil((share * seconds) / room);
  const ofRoom = (room, length) => Array.from({ length }, () => ({ suites: [], seconds: 0, room }));
  return [
    ...ofRoom(most, count(1 - SHARE_OF_LAST, most)),
    ...ofRoom(last, count(SHARE_OF_LAST, last)),
  ];
}

async function writeBatch({ project, suites }, index) {
  const texts = await Promise.all(suites.map((suite) => readFile(inRoot(suite), 'utf8')));
  const folder = path.join(BATCHES, project);
  const imports = suites.map((suite) => {
    const name = path.relative(folder, inRoot(suite)).replace(/\.ts$/, '.js');
    return `import '${name}';\n`;
  });
  // Suites set the limit when they are loaded: what the last one says would count for all.
  const limit = Math.max(DEFAULT_TIMEOUT_MS, ...texts.flatMap(limitsOf));
  const name = `${String(index).padStart(3, '0')}.spec.ts`;
  const text = `${imports.join('')}\njest.setTimeout(${limit});\n`;
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, name), text);
}

function limitsOf(text) {
  const calls = text.matchAll(/jest\.setTimeout\((?:lengthOf\(\{ brief: )?([\d_]+)/g);
  return [...calls].map(([, limit]) => Number(limit.replaceAll('_', '')));
}
