import { LRUCache } from 'lru-cache';
import { RE2JS } from 're2js';
import { matchesWildcard } from '../../repository/index.js';

/** How a branch filter is read: with `*` for any characters, as a regular expression, or not at all. */
export const BRANCH_FILTER_STRATEGIES = ['wildcard', 'regex', 'all_branches'] as const;

export type BranchFilterStrategy = (typeof BRANCH_FILTER_STRATEGIES)[number];

export interface BranchFilter {
  /** Null and empty let all branches pass. */
  readonly filter: string | null;
  readonly strategy: BranchFilterStrategy;
}

/** Characters of a regular expression: compiling it, and each branch, cost more the longer it is. */
const MAX_REGEX = 200;
/** Instructions of a compiled expression, since counted repetitions multiply them. */
const MAX_PROGRAM = 1_000;
/** Instructions of all expressions at all characters of the names of branches; each takes up to 30 ns. */
const STEPS_PER_PUSH = 20_000_000;
/** For each character of an expression. */
const STEPS_OF_COMPILING = 1_000;
/** Compiling takes milliseconds, for each hook at each push. */
const compiledFilters = new LRUCache<string, { readonly regex: RE2JS | null }>({ max: 200 });
/** What no name of a branch has. */
const NO_BRANCH = /[\p{Cc} ~^:?[\\]/u;

/** Whether a filter can be used with its strategy. */
export function isBranchFilter({ filter, strategy }: BranchFilter): boolean {
  if (filter === null || filter === '' || strategy === 'all_branches') return true;
  return strategy === 'regex' ? compile(filter) !== null : !NO_BRANCH.test(filter);
}

/** Limits what the filters of all hooks may cost at one push, whose transaction waits for them. */
export class FilterBudget {
  private steps = STEPS_PER_PUSH;

  /** False when it is spent. */
  spend(steps: number): boolean {
    this.steps -= steps;
    return this.steps >= 0;
  }
}

/**
 * Returns whether a branch passes; none does when the budget is spent. Regular expressions take time that is linear in the length of
 * its name, since RE2 never backtracks, and in their own.
 */
export function branchMatcher(
  { filter, strategy }: BranchFilter,
  budget: FilterBudget,
): (branch: string) => boolean {
  if (filter === null || filter === '' || strategy === 'all_branches') return () => true;
  if (strategy === 'wildcard') {
    return (branch) =>
      budget.spend(filter.length + branch.length) && matchesWildcard(filter, branch);
  }
  const isKnown = compiledFilters.has(filter);
  if (!isKnown && !budget.spend(filter.length * STEPS_OF_COMPILING)) return () => false;
  const compiled = compile(filter);
  if (compiled === null) return () => false;
  const size = compiled.programSize();
  return (branch) => budget.spend(size * (branch.length + 1)) && compiled.matcher(branch).find();
}

/** Null for what is not an expression, or is too large. */
function compile(text: string): RE2JS | null {
  const known = compiledFilters.get(text);
  if (known !== undefined) return known.regex;
  const regex = parse(text);
  compiledFilters.set(text, { regex });
  return regex;
}

function parse(text: string): RE2JS | null {
  if (text.length > MAX_REGEX) return null;
  try {
    const compiled = RE2JS.compile(text);
    return compiled.programSize() <= MAX_PROGRAM ? compiled : null;
  } catch {
    return null;
  }
}
