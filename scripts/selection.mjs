// Which suites a run of tests has, and which it leaves to others (docs/decisions/0040-where-test-time-goes.md).
import { chooseSuites } from './changed/choice.mjs';
import { findChanged, findLastCommit } from './changed/difference.mjs';
import { readImports } from './changed/imports.mjs';
import { OPERATION } from './changed/rules.mjs';
import { Problem } from './problem.mjs';

const SCOPES = { '--operations': 'operations', '--all': 'all' };

/** What a run is to have, by the arguments of `npm test`; undefined where these choose suites themselves. */
export function scopeOf(args) {
  if (args.length === 0) return 'change';
  return args.length === 1 ? SCOPES[args[0]] : undefined;
}

/**
 * Returns the suites of a run.
 * @param {import('./suites.mjs').Suite[]} suites
 * @param {'change' | 'operations' | 'all'} scope `change`: without the suites of campaigns and operations that the change
 *   cannot touch; `operations`: without those of campaigns, which `npm run campaign` has
 */
export async function selectSuites(suites, scope) {
  if (scope === 'all') return suites;
  if (scope === 'operations') return suites.filter(({ campaign }) => campaign === undefined);
  return withoutUntouched(suites, await findChange(), await readImports());
}

/**
 * Leaves out the suites of campaigns and operations that a change cannot touch.
 * @param {import('./suites.mjs').Suite[]} suites
 * @param {string[] | null} changed paths; null where they are unknown, so that all operations are run
 * @param {Record<string, string[]>} imports of each file
 */
export function withoutUntouched(suites, changed, imports) {
  const names = suites.map(({ path }) => path);
  const touched = chooseSuites({ changed: changed ?? [], imports, suites: names }).suites;
  const hasOperations = changed?.some((file) => OPERATION.test(file)) ?? true;
  return suites.filter(
    ({ path, campaign, isOperation }) =>
      touched.includes(path) || (campaign === undefined && (!isOperation || hasOperations)),
  );
}

/** Says in one line what a run leaves out; undefined where that is nothing. */
export function describeLeftOut(suites, selected) {
  const left = suites.filter((suite) => !selected.includes(suite));
  if (left.length === 0) return undefined;
  const campaigns = left.filter(({ campaign }) => campaign !== undefined).length;
  const kinds = [
    [campaigns, 'of campaigns'],
    [left.length - campaigns, 'of operations'],
  ];
  const counts = kinds.filter(([count]) => count > 0).map(([count, of]) => `${count} ${of}`);
  return `suites that are not run: ${counts.join(', ')}; npm test -- --all runs them`;
}

/** What differs from the main branch; where nothing does, what the last commit changed. */
async function findChange() {
  try {
    const changed = await findChanged();
    return changed.length > 0 ? changed : await findLastCommit();
  } catch (error) {
    if (error instanceof Problem) return null;
    throw error;
  }
}
