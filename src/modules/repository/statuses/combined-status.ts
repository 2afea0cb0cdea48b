import type { StatusState } from './status-states.js';

/** What several statuses come to; `skipped` when only ones that may fail are left out. */
export type CombinedState = StatusState | 'skipped';

/**
 * What statuses come to together (the table of
 * docs/reference/commit-statuses.md#the-status-of-a-commit); null without any.
 * @param states those that count; how often each occurs does not matter
 * @param someLeftOut whether there were others that may fail, and did
 */
export function combined(
  states: Iterable<CombinedState>,
  someLeftOut: boolean,
): CombinedState | null {
  const all = new Set(states);
  // What was skipped as a whole says nothing beside others.
  const skipped = all.delete('skipped') || someLeftOut;
  const consistOf = (...expected: CombinedState[]) =>
    [...all].every((state) => expected.includes(state));
  if (all.size === 0) return skipped ? 'skipped' : null;
  if (consistOf('success')) return 'success';
  if (consistOf('success', 'canceled')) return 'canceled';
  if (consistOf('pending')) return 'pending';
  if (all.has('running') || all.has('pending')) return 'running';
  return 'failed';
}
