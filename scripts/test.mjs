// Runs every test, then those that go through the queue once more on Redis where there is one.
// Arguments are Jest's: with them only the first run takes place.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { removeBatches, writeBatches } from './batches.mjs';
import { runNode } from './child.mjs';
import { inRoot } from './paths.mjs';
import { prepare } from './prepare.mjs';
import { main, say } from './problem.mjs';
import { hasRedisServer, withRedis } from './redis.mjs';

const JEST = inRoot('node_modules', 'jest', 'bin', 'jest.js');
const { TEST_REDIS_URL, ...ENVIRONMENT } = process.env;

/** A suite that cannot even be loaded counts as one failure; no result at all, too. */
async function jest(args, results, env = {}) {
  await rm(results, { force: true });
  const options = ['--json', `--outputFile=${results}`, ...args];
  const { code } = await runNode([JEST, ...options], {
    env: { ...ENVIRONMENT, ...env },
    stdio: 'inherit',
  });
  const text = await readFile(results, 'utf8').catch(() => '{}');
  const {
    numPassedTests = 0,
    numFailedTests = 0,
    numRuntimeErrorTestSuites = 0,
  } = JSON.parse(text);
  const failed = numFailedTests + numRuntimeErrorTestSuites;
  return { passed: numPassedTests, failed: code === 0 ? failed : Math.max(failed, 1) };
}

/** Whether jobs run in a suite: to the others it makes no difference where the queues are. */
async function hasJobs(suite) {
  return /runsJobs|service-process|own-queues/.test(await readFile(suite, 'utf8'));
}

/** @param options.isChosen tells which end-to-end suites; all when absent */
async function inBatches(results, { args = [], isChosen, env } = {}) {
  try {
    await writeBatches(isChosen);
    return await jest(args, results, { ...env, TEST_BATCHES: 'true' });
  } finally {
    await removeBatches();
  }
}

async function onRedis(results) {
  const run = async (url) => {
    say(`the end-to-end tests with jobs once more, with the queues on ${new URL(url).host}`);
    const args = ['--selectProjects', 'e2e'];
    return inBatches(results, { args, isChosen: hasJobs, env: { TEST_REDIS_URL: url } });
  };
  if (TEST_REDIS_URL) return await run(TEST_REDIS_URL);
  if (await hasRedisServer()) return await withRedis(run);
  say(
    'the Redis variant was NOT run: there is no redis-server on the PATH and TEST_REDIS_URL is unset',
  );
  return { passed: 0, failed: 0 };
}

await main(async () => {
  await prepare({ dev: true });
  const args = process.argv.slice(2);
  const folder = await mkdtemp(path.join(tmpdir(), 'trellis-results-'));
  const results = path.join(folder, 'jest.json');
  try {
    const runs = [];
    if (args.length > 0) {
      runs.push(await jest(args, results));
      say('the Redis variant was not run, since arguments select what to run');
    } else {
      runs.push(await inBatches(results), await onRedis(results));
    }
    const sum = (key) => runs.reduce((total, run) => total + run[key], 0);
    console.log(`${sum('passed')} passed, ${sum('failed')} failed`);
    process.exitCode = sum('failed') === 0 ? 0 : 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
