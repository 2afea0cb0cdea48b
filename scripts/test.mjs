// Runs unit, contract and end-to-end tests, those tagged `@redis` a second time with the queues on Redis.
// Arguments are Jest's and choose what is run.
import { runInBatches } from './batches.mjs';
import { runJest, withTestRedis } from './jest.mjs';
import { prepare } from './prepare.mjs';
import { main, say } from './problem.mjs';
import { findSuites, withInstalledPrograms } from './suites.mjs';

/** A run of everything takes suites in batches. */
async function runAll(redisUrl) {
  if (redisUrl === undefined) {
    say('nothing runs on Redis: there is no redis-server on the PATH, and TEST_REDIS_URL is unset');
  }
  return runInBatches(await withInstalledPrograms(await findSuites()), redisUrl);
}

await main(async () => {
  await prepare({ dev: true });
  const args = process.argv.slice(2);
  const { passed, failed, left } = await withTestRedis((redisUrl) =>
    args.length === 0 ? runAll(redisUrl) : runJest(args, { redisUrl }),
  );
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 && left.length === 0 ? 0 : 1;
});
