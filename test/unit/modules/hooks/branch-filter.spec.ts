import {
  type BranchFilter,
  branchMatcher,
  FilterBudget,
  isBranchFilter,
} from '../../../../src/modules/hooks/model/branch-filter.js';

const matcher = (
  filter: string,
  strategy: BranchFilter['strategy'],
  budget = new FilterBudget(),
): ((branch: string) => boolean) => branchMatcher({ filter, strategy }, budget);

describe('A branch filter', () => {
  it.each([
    ['release/*', 'wildcard', 'release/1/2', true],
    ['release/*', 'wildcard', 'a/release/1', false],
    ['^release/\\d+$', 'regex', 'release/12', true],
    ['^release/\\d+$', 'regex', 'release/1a', false],
    ['none', 'all_branches', 'master', true],
    ['', 'regex', 'master', true],
  ] as const)('%s as %s passes %s: %s', (filter, strategy, branch, expected) => {
    expect(matcher(filter, strategy)(branch)).toBe(expected);
  });

  it('passes the branches of a large push', () => {
    const passes = matcher('^(main|develop|release/.*|hotfix/[0-9]+)$', 'regex');
    const branches = Array.from({ length: 10_000 }, (_, index) => `release/${String(index)}`);
    expect(branches.every(passes)).toBe(true);
  });

  it.each([
    ['regex', '(.*a){150}$'],
    ['wildcard', `${'*a'.repeat(2_400)}*`],
  ] as const)('takes seconds at most of a push, whatever it is: %s', (strategy, filter) => {
    expect(isBranchFilter({ filter, strategy })).toBe(true);
    const budget = new FilterBudget();
    const branches = Array.from(
      { length: 10_000 },
      (_, index) => `${'a'.repeat(240)}${String(index)}`,
    );
    const began = performance.now();
    for (let hook = 0; hook < 10; hook += 1) {
      const passes = matcher(filter, strategy, budget);
      for (const branch of branches) passes(branch);
    }
    // Expressions take minutes without a limit.
    expect(performance.now() - began).toBeLessThan(5_000);
  });
});
