import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { Baseline } from './baseline/baseline.mjs';
import { endAll } from './children.mjs';
import { Cleanup } from './cleanup.mjs';
import { Database } from './database.mjs';
import { git } from './git.mjs';
import { readOptions } from './options.mjs';
import { Progress } from './progress.mjs';
import { compare, readEarlier } from './comparison.mjs';
import { print, save } from './report.mjs';
import { seedOwnHistory, seedReads } from './seed.mjs';
import { Service } from './service.mjs';
import { measureCapacity } from './suites/capacity.mjs';
import { measureClones } from './suites/clones.mjs';
import { measureDeliveries } from './suites/deliveries.mjs';
import { measureGrowth } from './suites/growth.mjs';
import { measureIssues } from './suites/issues.mjs';
import { measureLargePushes } from './suites/large-pushes.mjs';
import { measureMergeRequests } from './suites/merge-requests.mjs';
import { measureMemory } from './suites/memory.mjs';
import { measureReads } from './suites/reads.mjs';
import { measureRequests } from './suites/requests.mjs';
import { measureTransport } from './suites/transport.mjs';

/** In the order in which they run. */
const SUITES = {
  requests: measureRequests,
  reads: measureReads,
  transport: measureTransport,
  memory: measureMemory,
  deliveries: measureDeliveries,
  growth: measureGrowth,
  issues: measureIssues,
  'merge-requests': measureMergeRequests,
  'large-pushes': measureLargePushes,
  clones: measureClones,
  capacity: measureCapacity,
};

/**
 * What the suites work on.
 * @typedef {object} World
 * @property {string} folder everything that is written; removed at the end
 * @property {import('./options.mjs').Options} options
 * @property {Progress} progress
 * @property {Database} database
 * @property {Service} service
 * @property {Baseline} baseline
 * @property {import('./seed.mjs').Stock} generated always the same history, for the reads
 * @property {import('./seed.mjs').Stock} history what is cloned and pushed
 */

/** @param {string[]} args */
export async function bench(args) {
  const options = readOptions(args);
  const earlier = options.compare && (await readEarlier(options.compare));
  const progress = new Progress();
  const cleanup = new Cleanup();
  try {
    const world = await build(options, progress, cleanup);
    const results = await measure(world);
    progress.done();
    print(results);
    if (earlier) compare(earlier, results);
    const about = { ...(await describe(world)), seconds: Math.round(progress.seconds) };
    console.log(`Written to ${await save({ ...about, ...results })}`);
  } catch (error) {
    await cleanup.unlessInterrupted();
    throw error;
  } finally {
    progress.done();
    await cleanup.run();
  }
}

/** @returns {Promise<World>} */
async function build(options, progress, cleanup) {
  const folder = await mkdtemp(path.join(tmpdir(), 'trellis-bench-'));
  cleanup.add(() => rm(folder, { recursive: true, force: true }));
  // PostgreSQL may run as another user, who has to get through.
  await chmod(folder, 0o711);
  progress.step('starting PostgreSQL');
  const database = await Database.start(path.join(folder, 'database'));
  cleanup.add(() => database.stop());
  cleanup.add(endAll);
  progress.step('starting the service');
  const { profile } = options;
  const service = await Service.start({ folder, databaseUrl: database.url, profile });
  progress.step('seeding');
  const generated = await seedReads({ service, database, folder });
  const history = (await seedOwnHistory({ service, folder })) ?? generated;
  const baseline = await Baseline.start({
    databaseUrl: database.url,
    repository: generated.repository,
    gitRoot: folder,
    credentials: service.credentials,
  });
  await database.untilJobsAreDone();
  return { folder, options, progress, database, service, baseline, generated, history };
}

async function measure(world) {
  const results = { outcomes: [], memory: [], targets: [], capacity: [] };
  for (const [name, suite] of Object.entries(SUITES)) {
    if (!world.options.suites.includes(name)) continue;
    const { outcomes = [], memory = [], targets = [], capacity = [] } = await suite(world);
    results.outcomes.push(...outcomes);
    results.memory.push(...memory);
    results.targets.push(...targets);
    results.capacity.push(...capacity);
  }
  return results;
}

async function describe({ options, history }) {
  const gitVersion = (await git(['--version'])).trim();
  return {
    date: new Date().toISOString(),
    node: process.version,
    git: gitVersion,
    cores: availableParallelism(),
    options,
    history: history.label,
  };
}
