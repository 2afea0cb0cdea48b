import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { runNode } from './child.mjs';
import { inRoot } from './paths.mjs';
import { say } from './problem.mjs';
import { hasRedisServer, withRedis } from './redis.mjs';
import { withTemporaryFolder } from './temporary-folder.mjs';

const OPTIONS = [
  // For the workers too: room for young objects, which would be moved to the old ones too early.
  '--max-semi-space-size=64',
  inRoot('node_modules', 'jest', 'bin', 'jest.js'),
  // The temporary folder, where Jest would put it, does not outlive the run.
  `--cacheDirectory=${inRoot('node_modules', '.cache', 'jest')}`,
  `--testResultsProcessor=${inRoot('test', 'support', 'results-processor.mjs')}`,
];
const { TEST_REDIS_URL, ...ENVIRONMENT } = process.env;

/**
 * Runs Jest, and says what the run leaves behind.
 * @param {string[]} args
 * @param {{ env?: Record<string, string>, redisUrl?: string, files?: number }} [options] and those of `runToEnd`; all
 *   is shown unless told. `files`: how many have to be run, with all of their tests.
 * @returns {Promise<{ passed: number, failed: number, left: string[] }>} a suite that cannot be loaded
 *   counts as one failure, and so does a run that leaves something out
 */
export async function runJest(args, { env = {}, redisUrl, files, ...options } = {}) {
  const { result, left } = await withTemporaryFolder(async ({ temporary, notes }) => {
    const ofRun = { TMPDIR: temporary, TEST_NOTES: notes };
    const ofRedis = redisUrl === undefined ? {} : { TEST_REDIS_SERVER: redisUrl };
    const { code } = await runNode([...OPTIONS, ...args], {
      stdio: 'inherit',
      ...options,
      env: { ...ENVIRONMENT, ...ofRedis, ...env, ...ofRun },
    });
    const read = (name) => readJson(path.join(notes, name));
    const counts = await read('results.json');
    const { databases = [] } = await read('databases.json');
    const omissions = findOmissions(counts, files);
    for (const what of omissions) say(what);
    const { passed = 0, failed = 0 } = counts;
    const isComplete = code === 0 && omissions.length === 0;
    return { passed, failed: isComplete ? failed : Math.max(failed, 1), databases };
  });
  const { passed, failed, databases } = result;
  const allLeft = [...databases.map((name) => `database ${name}`), ...left];
  for (const what of allLeft) say(`left behind: ${what}`);
  return { passed, failed, left: allLeft };
}

/**
 * What a run has left out, in words.
 * @param {{ files?: number, skipped?: number }} counts as the results processor notes them
 * @param {number} [expected] files that had to be run; without it, arguments have chosen tests
 */
export function findOmissions({ files, skipped = 0 }, expected) {
  if (files === undefined) return ['Jest has ended without a result'];
  if (expected === undefined) return [];
  return [
    ...(files < expected ? [`${expected - files} of ${expected} test files were not run`] : []),
    ...(skipped > 0 ? [`${skipped} tests were skipped`] : []),
  ];
}

/**
 * Does some work with the address of a Redis; without one where there is none.
 * @template T
 * @param {(url?: string) => Promise<T>} work
 */
export async function withTestRedis(work) {
  if (TEST_REDIS_URL) return work(TEST_REDIS_URL);
  if (await hasRedisServer()) return withRedis(work);
  return work();
}

async function readJson(file) {
  return JSON.parse(await readFile(file, 'utf8').catch(() => '{}'));
}
