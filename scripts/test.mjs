// Runs unit, contract and end-to-end tests, those tagged `@redis` a second time with the queues on Redis.
//
//   npm test                    without suites of campaigns and operations that the change cannot touch
//   npm test -- --operations    with all suites of operations
//   npm test -- --all           with those of campaigns as well
//
// Other arguments are Jest's and choose what is run.
import { runInBatches } from './batches.mjs';
import { runJest, withTestRedis } from './jest.mjs';
import { prepare } from './prepare.mjs';
import { main, say } from './problem.mjs';
import { describeLeftOut, scopeOf, selectSuites } from './selection.mjs';
import { findSuites, withInstalledPrograms } from './suites.mjs';

/** Takes suites in batches. */
async function runScope(scope, redisUrl) {
  if (redisUrl === undefined) {
    say('nothing runs on Redis: there is no redis-server on the PATH, and TEST_REDIS_URL is unset');
  }
  const suites = await findSuites();
  const selected = await selectSuites(suites, scope);
  const leftOut = describeLeftOut(suites, selected);
  if (leftOut !== undefined) say(leftOut);
  return runInBatches(await withInstalledPrograms(selected), redisUrl);
}

await main(async () => {
  await prepare({ dev: true });
  const args = process.argv.slice(2);
  const scope = scopeOf(args);
  const { passed, failed, left } = await withTestRedis((redisUrl) =>
    scope === undefined ? runJest(args, { redisUrl }) : runScope(scope, redisUrl),
  );
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 && left.length === 0 ? 0 : 1;
});
