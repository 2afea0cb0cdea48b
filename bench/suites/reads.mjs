import { git } from '../git.mjs';
import { BRANCHES } from '../history.mjs';
import { compareRates, requestOnce } from '../load.mjs';

const PAGE = 20;
const ROWS = 'SELECT by node + pg';

/**
 * A read: where the service answers it, where the baselines do, and how many entries all of them
 * have to answer with (undefined: ours is a single object).
 * @typedef {{ scenario: string, route: string, baselines: Record<string, string>, entries?: number }} Read
 */

/** @returns {Read[]} */
function reads({ project, head }, changedFiles) {
  const repository = `/projects/${project.id}/repository`;
  return [
    {
      scenario: 'GET commits, 20 of them',
      route: `${repository}/commits?per_page=${PAGE}`,
      baselines: { [ROWS]: '/rows/commits/0', 'git log per request': '/git/log' },
      entries: PAGE,
    },
    {
      scenario: 'GET commits/:sha',
      route: `${repository}/commits/${head}`,
      baselines: { [ROWS]: `/rows/commit/${head}`, 'git show per request': `/git/show/${head}` },
    },
    {
      scenario: 'GET commits/:sha/diff',
      route: `${repository}/commits/${head}/diff`,
      baselines: { 'git diff-tree per request': `/git/diff/${head}` },
      entries: changedFiles,
    },
    {
      scenario: 'GET branches, 100 of them',
      route: `${repository}/branches?per_page=${BRANCHES}`,
      baselines: {
        [ROWS]: `/rows/branches/${BRANCHES}`,
        'git for-each-ref per request': '/git/branches',
      },
      entries: BRANCHES,
    },
  ];
}

/** Answers per second of reads of the repository, warm. */
export async function measureReads(world) {
  const { generated, options } = world;
  const chosen = reads(generated, await countChangedFiles(generated)).filter(({ scenario }) =>
    scenario.includes(options.match),
  );
  const outcomes = [];
  for (const read of chosen) outcomes.push(await measureRead(world, read));
  return { outcomes };
}

async function countChangedFiles({ source, head }) {
  const names = await git(['-C', source, 'diff-tree', '-r', '--name-only', `${head}^`, head]);
  return names.trim().split('\n').length;
}

async function measureRead(world, read) {
  const { service, baseline } = world;
  const { scenario, route, baselines, entries } = read;
  const ours = { url: service.apiUrl(route), headers: service.headers };
  await check(ours, entries);
  const targets = { trellis: ours };
  for (const [name, path] of Object.entries(baselines)) {
    targets[name] = { url: baseline.url(path) };
    await check(targets[name], entries ?? 1);
  }
  return compareRates(world, { scenario, targets });
}

/** A contender that answers something else would win for nothing. */
async function check(target, entries) {
  const body = JSON.parse(await requestOnce(target));
  const count = Array.isArray(body) ? body.length : undefined;
  if (count === entries) return;
  throw new Error(`${target.url}: expected ${entries ?? 'an object'}, got ${count}`);
}
