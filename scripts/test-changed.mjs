// Runs the suites that a change can touch: what differs from the main branch, in commits and in the working tree.
//
//   npm run test:changed -- [--base BRANCH] [--list]
//
// Those tagged `@redis` run a second time on Redis where there is one.
import { parseArgs } from 'node:util';
import { runInBatches } from './batches.mjs';
import { chooseSuites } from './changed/choice.mjs';
import { findChanged } from './changed/difference.mjs';
import { readImports } from './changed/imports.mjs';
import { withTestRedis } from './jest.mjs';
import { prepare } from './prepare.mjs';
import { main, say } from './problem.mjs';
import { findSuites, withInstalledPrograms } from './suites.mjs';

await main(async () => {
  const { values } = parseArgs({
    options: { base: { type: 'string' }, list: { type: 'boolean', default: false } },
  });
  await prepare({ dev: true });
  const changed = await findChanged(values.base);
  const all = await withInstalledPrograms(await findSuites());
  const imports = await readImports();
  const names = all.map((suite) => suite.path);
  const { suites, sampled } = chooseSuites({ changed, imports, suites: names });
  for (const suite of suites) console.log(suite);
  say(`${changed.length} files changed, which can touch ${suites.length} suites`);
  if (sampled.length > 0) {
    say(`it touches much: of ${sampled.join(', ')} one suite each; npm test -- --all runs all`);
  }
  if (values.list || suites.length === 0) return;
  const chosen = all.filter((suite) => suites.includes(suite.path));
  const { passed, failed, left } = await withTestRedis((redisUrl) =>
    runInBatches(chosen, redisUrl),
  );
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 && left.length === 0 ? 0 : 1;
});
