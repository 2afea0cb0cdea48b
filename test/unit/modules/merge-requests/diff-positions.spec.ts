import type { Diff, DiffEntry } from '../../../../src/git/index.js';
import type { DiffPosition } from '../../../../src/modules/issuables/index.js';
import { PositionFollower } from '../../../../src/modules/merge-requests/versions/diff-positions.js';
import { ShownFiles } from '../../../../src/modules/repository/index.js';

const [BASE, HEAD, OLD_HEAD] = ['a', 'b', 'c'].map((digit) => digit.repeat(40)) as [
  string,
  string,
  string,
];

const VERSION = { base: BASE, start: BASE, head: HEAD };

/** The difference of a file; counts how often its patch is read. */
function fileOf(text: string): { file: DiffEntry; reads: () => number } {
  let reads = 0;
  const file = {
    change: 'modified',
    oldPath: 'text',
    newPath: 'text',
    oldOid: '1'.repeat(40),
    newOid: '2'.repeat(40),
    get text() {
      reads += 1;
      return text;
    },
  } as unknown as DiffEntry;
  return { file, reads: () => reads };
}

const diffOf = (...entries: DiffEntry[]): Diff => ({ entries, isCut: false });

/** Replaces every other line of a file with so many lines. */
const alternating = (count: number): string =>
  `@@ -1,${String(count)} +1,${String(count)} @@\n` + ' \n-\n+\n'.repeat(count / 2);

const onLine = (line: Partial<DiffPosition>): DiffPosition =>
  ({
    type: 'text',
    baseSha: BASE,
    startSha: BASE,
    headSha: OLD_HEAD,
    oldPath: 'text',
    newPath: 'text',
    oldLine: null,
    newLine: null,
    lineRange: null,
    ...line,
  }) as DiffPosition;

describe('the lines of a difference', () => {
  const { file } = fileOf('@@ -1,3 +1,3 @@\n one\n-two\n+new\n three\n');
  const shown = new ShownFiles(diffOf(file));

  it.each([
    ['an unchanged line by both numbers', 3, 3, true],
    ['a removed line', 2, null, true],
    ['an added line', null, 2, true],
    ['an unchanged line by one number', null, 3, false],
    ['a removed and an added line as one', 2, 2, false],
    ['a line behind the patch', 4, 4, false],
    ['no number', null, null, false],
  ] as const)('finds by its numbers: %s', (_, oldLine, newLine, isShown) => {
    expect(shown.showsLine(file, { oldLine, newLine })).toBe(isShown);
  });
});

describe('following positions', () => {
  it('shifts lines by what was added and removed before them', () => {
    const ofVersion = fileOf('@@ -0,0 +1,6 @@\n+zero\n+one\n+two\n+four\n+new\n+five\n');
    const heads = fileOf('@@ -1,4 +1,6 @@\n+zero\n one\n two\n-three\n four\n+new\n+five\n');
    const follower = new PositionFollower(VERSION, new ShownFiles(diffOf(ofVersion.file)), {
      heads: diffOf(heads.file),
      bases: diffOf(),
    });
    const now = [1, 2, 3, 4].map((newLine) => follower.follow(onLine({ newLine }))?.newLine);
    expect(now).toEqual([2, 3, undefined, 4]);
  });

  it('reads each patch once, however many threads there are', () => {
    const ofVersion = fileOf(alternating(30_000));
    const heads = fileOf(alternating(30_000));
    const follower = new PositionFollower(VERSION, new ShownFiles(diffOf(ofVersion.file)), {
      heads: diffOf(heads.file),
      bases: diffOf(),
    });
    follower.follow(onLine({ newLine: 1 }));
    const before = [ofVersion.reads(), heads.reads()];
    const first = 29_001;
    const followed = Array.from({ length: 500 }, (_, index) =>
      follower.follow(onLine({ newLine: first + 2 * index })),
    );
    expect(followed.map((one) => one && [one.oldLine, one.newLine])).toEqual(
      followed.map((_, index) => [first + 2 * index, first + 2 * index]),
    );
    // Whether a file has a patch at all is asked each time.
    expect([ofVersion.reads(), heads.reads() - 500]).toEqual(before);
  });
});
