/**
 * A change under which statements of an earlier version could fail, and why it may be made
 * (CONTRIBUTING.md#changing-the-schema).
 */
export type ContractStep = { migration: string; change: string } & (
  | { /** The release that stopped using it. */ unusedSince: string }
  | { /** Why statements of the release before succeed all the same. */ harmless: string }
);

const OLDER_COUNTS = 'A trigger drops the rows that 0.1.0 adds, which lack this column.';

export const CONTRACT_STEPS: readonly ContractStep[] = [
  {
    migration: 'KeptCounters1795738400000',
    change: 'issue_counts.closed is required',
    harmless: OLDER_COUNTS,
  },
  {
    migration: 'KeptCounters1795738400000',
    change: 'issue_counts.closed_confidential is required',
    harmless: OLDER_COUNTS,
  },
];
