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
/** Compiling takes milliseconds, for each hook at each push. */
const compiledFilters = new LRUCache<string, { readonly regex: RE2JS | null }>({ max: 200 });
/** What no name of a branch has. */
const NO_BRANCH = /[\p{Cc} ~^:?[\\]/u;

/** Whether a filter can be used with its strategy. */
export function isBranchFilter({ filter, strategy }: BranchFilter): boolean {
  if (filter === null || filter === '' || strategy === 'all_branches') return true;
  return strategy === 'regex' ? compile(filter) !== null : !NO_BRANCH.test(filter);
}

/**
 * Returns whether a branch passes. Regular expressions take time that is linear in the length of its name, since RE2 never
 * backtracks.
 */
export function branchMatcher({ filter, strategy }: BranchFilter): (branch: string) => boolean {
  if (filter === null || filter === '' || strategy === 'all_branches') return () => true;
  if (strategy === 'wildcard') return (branch) => matchesWildcard(filter, branch);
  const compiled = compile(filter);
  return (branch) => compiled?.matcher(branch).find() ?? false;
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
