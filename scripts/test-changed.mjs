// Runs the suites that a change can touch: what differs from the main branch, in commits and in the working tree.
//
//   npm run test:changed -- [--base BRANCH] [--list]
//
// Those tagged `@redis` run a second time on Redis where there is one.
import { execFile } from 'node:child_process';
import { parseArgs, promisify } from 'node:util';
import { runInBatches } from './batches.mjs';
import { chooseSuites } from './changed/choice.mjs';
import { readImports } from './changed/imports.mjs';
import { withTestRedis } from './jest.mjs';
import { inRoot } from './paths.mjs';
import { prepare } from './prepare.mjs';
import { main, Problem, say } from './problem.mjs';
import { findSuites, withInstalledPrograms } from './suites.mjs';

const BASES = ['main', 'origin/main'];

async function git(...args) {
  const { stdout } = await promisify(execFile)('git', args, { cwd: inRoot(), maxBuffer: 1e8 });
  return stdout.split('\n').filter((line) => line !== '');
}

/** The commit at which the change began. */
async function findBase(branches) {
  for (const branch of branches) {
    const [commit] = await git('merge-base', 'HEAD', branch).catch(() => []);
    if (commit !== undefined) return commit;
  }
  throw new Problem(
    `There is no branch ${branches.join(' or ')} to compare with; name one by --base.`,
  );
}

async function findChanged(base) {
  const changed = await git('diff', '--name-only', '--no-renames', base);
  const added = await git('ls-files', '--others', '--exclude-standard');
  return [...new Set([...changed, ...added])].sort();
}

await main(async () => {
  const { values } = parseArgs({
    options: { base: { type: 'string' }, list: { type: 'boolean', default: false } },
  });
  await prepare({ dev: true });
  const changed = await findChanged(await findBase(values.base ? [values.base] : BASES));
  const all = await withInstalledPrograms(await findSuites());
  const imports = await readImports();
  const names = all.map((suite) => suite.path);
  const { suites, sampled } = chooseSuites({ changed, imports, suites: names });
  for (const suite of suites) console.log(suite);
  say(`${changed.length} files changed, which can touch ${suites.length} suites`);
  if (sampled.length > 0) {
    say(`it touches much: of ${sampled.join(', ')} one suite each; npm test runs all`);
  }
  if (values.list || suites.length === 0) return;
  const chosen = all.filter((suite) => suites.includes(suite.path));
  const { passed, failed, left } = await withTestRedis((redisUrl) =>
    runInBatches(chosen, redisUrl),
  );
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 && left.length === 0 ? 0 : 1;
});
