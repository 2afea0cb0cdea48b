import {
  isWorkInProgress,
  withoutMarker,
} from '../../../../src/modules/merge-requests/model/merge-request.entity.js';

describe('titles of unfinished work', () => {
  it.each([
    ['WIP: Add cache', 'Add cache'],
    ['[WIP] Add cache', 'Add cache'],
    ['[wip]Add cache', 'Add cache'],
    ['wip Add cache', 'Add cache'],
    ['  Wip:Add cache', 'Add cache'],
    ['[WIP] WIP: wip Add cache', 'Add cache'],
    ['WIP:', ''],
    ['WIP: [WIP]', ''],
  ])('%j is work in progress', (title, rest) => {
    expect(isWorkInProgress(title)).toBe(true);
    expect(withoutMarker(title)).toBe(rest);
  });

  it.each(['Add cache', 'Wipe the table', 'WIP', 'Add WIP: cache', 'WIP- Add', '[WIP Add', ''])(
    '%j is not',
    (title) => {
      expect(isWorkInProgress(title)).toBe(false);
      expect(withoutMarker(title)).toBe(title);
    },
  );

  it('are checked quickly at any length', () => {
    expect(isWorkInProgress(`${' wip'.repeat(60)}x`)).toBe(true);
    expect(isWorkInProgress(`${' '.repeat(255)}x`)).toBe(false);
    for (const marker of ['WIP: ', ' [WIP]', 'wip\n']) {
      expect(withoutMarker(`${marker.repeat(4_000_000)}x`)).toBe('x');
    }
  });
});
