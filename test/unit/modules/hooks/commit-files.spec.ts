import { changedFiles } from '../../../../src/modules/hooks/payloads/commit-files.js';
import { seconds } from '../../../../src/modules/hooks/payloads/pipeline-object.js';

describe('What payloads tell of the files of a commit', () => {
  it('puts each path where receivers look for it, in the order of the diff', () => {
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

  it('is nothing where nothing changed', () => {
    expect(changedFiles([])).toEqual({ added: [], modified: [], removed: [] });
  });
});

describe('How long a build took', () => {
  const at = (ms: number) => new Date(1_500_000_000_000 + ms);

  it('is told in seconds, and only where both ends are known', () => {
    expect(seconds(at(0), at(1_250))).toBe(1.25);
    expect(seconds(at(7), at(7))).toBe(0);
    expect(seconds(null, at(0))).toBeNull();
    expect(seconds(at(0), null)).toBeNull();
  });
});
