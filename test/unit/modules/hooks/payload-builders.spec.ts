import { seconds } from '../../../../src/modules/hooks/v3/payloads/build-payload-builder.js';
import { changedFiles } from '../../../../src/modules/hooks/payloads/commit-files.js';

describe('The changed files of a commit in payloads', () => {
  it('are grouped by the kind of change, in the order of the diff', () => {
    const entries = [
      { change: 'modified', oldPath: 'm', newPath: 'm' },
      { change: 'renamed', oldPath: 'from', newPath: 'to' },
      { change: 'deleted', oldPath: 'd', newPath: 'd' },
      { change: 'added', oldPath: 'a', newPath: 'a' },
      { change: 'retyped', oldPath: 'link', newPath: 'link' },
    ] as const;
    expect(changedFiles(entries)).toEqual({
      added: ['to', 'a'],
      modified: ['m', 'link'],
      removed: ['d'],
    });
  });

  it('are empty when nothing changed', () => {
    expect(changedFiles([])).toEqual({ added: [], modified: [], removed: [] });
  });
});

describe('The duration of a build', () => {
  const at = (ms: number) => new Date(1_500_000_000_000 + ms);

  it('is in seconds, and null unless both ends are known', () => {
    expect(seconds(at(0), at(1_250))).toBe(1.25);
    expect(seconds(at(7), at(7))).toBe(0);
    expect(seconds(null, at(0))).toBeNull();
    expect(seconds(at(0), null)).toBeNull();
  });
});
