import {
  combineStates,
  type CombinedState,
} from '../../../src/modules/repository/commits/statuses/status.rules.js';

const ROWS: [states: CombinedState[], someLeftOut: boolean, expected: CombinedState | null][] = [
  [[], false, null],
  [[], true, 'skipped'],
  [['success'], false, 'success'],
  [['success'], true, 'success'],
  [['success', 'success'], false, 'success'],
  [['canceled'], false, 'canceled'],
  [['success', 'canceled'], false, 'canceled'],
  [['canceled', 'pending'], false, 'running'],
  [['pending'], false, 'pending'],
  [['pending', 'pending'], true, 'pending'],
  [['running'], false, 'running'],
  [['pending', 'running'], false, 'running'],
  [['success', 'pending'], false, 'running'],
  [['failed', 'running'], false, 'running'],
  [['failed', 'pending'], false, 'running'],
  [['failed'], false, 'failed'],
  [['failed', 'success'], false, 'failed'],
  [['failed', 'canceled'], false, 'failed'],
  [['failed', 'canceled', 'success'], true, 'failed'],
  [['skipped'], false, 'skipped'],
  [['skipped', 'success'], false, 'success'],
  [['skipped', 'failed'], false, 'failed'],
];

describe('the combined status', () => {
  it.each(ROWS)('of %j with others left out (%s) is %s', (states, someLeftOut, expected) => {
    expect(combineStates(states, someLeftOut)).toBe(expected);
    expect(combineStates([...states].reverse(), someLeftOut)).toBe(expected);
  });
});
