import { changesLine } from '../../../src/modules/repository/commits/comments/changed-lines.js';
import type { LineType } from '../../../src/modules/repository/commits/comments/commit-comment.entity.js';

const PATCH = [
  '--- a/poem.txt',
  '+++ b/poem.txt',
  '@@ -2,4 +2,5 @@ a heading that says @@ -1 +1 @@',
  ' two',
  '-three',
  '+THREE',
  '+three and a half',
  ' four',
  ' five',
  '@@ -20 +21,0 @@',
  '---- a signature',
  '@@ -30,0 +31,2 @@',
  '++++ b/not a header',
  '+@@ -1,1 +1,1 @@',
  '\\ No newline at end of file',
  '',
].join('\n');

const changed = (patch: string, type: LineType): number[] =>
  Array.from({ length: 40 }, (_, index) => index - 1).filter((line) =>
    changesLine(patch, line, type),
  );

describe('the changed lines of a patch', () => {
  it('are the added ones by their line number after the change', () => {
    expect(changed(PATCH, 'new')).toEqual([3, 4, 31, 32]);
  });

  it('are the removed ones by their line number before it', () => {
    expect(changed(PATCH, 'old')).toEqual([3, 20]);
  });

  it('are all of a new and of a deleted file', () => {
    const added = '--- /dev/null\n+++ b/a\n@@ -0,0 +1,2 @@\n+one\n+two\n';
    const deleted = '--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n\\ No newline at end of file\n';
    expect([changed(added, 'new'), changed(added, 'old')]).toEqual([[1, 2], []]);
    expect([changed(deleted, 'new'), changed(deleted, 'old')]).toEqual([[], [1]]);
  });

  it('are none of a binary file, or of one that was only renamed', () => {
    expect(changed('Binary files a/x and b/x differ\n', 'new')).toEqual([]);
    expect(changed('', 'old')).toEqual([]);
  });

  it('are found with line ends of every kind', () => {
    const patch = '--- a/a\n+++ b/a\n@@ -1 +1,2 @@\n-one\r\n+one\r\u2028\u0085+x\n+two\n';
    expect([changed(patch, 'new'), changed(patch, 'old')]).toEqual([[1, 2], [1]]);
  });
});
