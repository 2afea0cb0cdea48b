/** Files that are renamed and changed on the branch `theirs`, and changed otherwise on `ours`. */
interface RenamedFiles {
  readonly files: number;
  /** Of each file. Git compares the lines of each old name with those of each new one. */
  readonly lines: number;
}

const WHO = 'Ada <ada@example.com> 1700000000 +0000';

/** The input of `git fast-import` for a history whose renames take git a time that grows with the square of the files. */
export function renamedFiles({ files, lines }: RenamedFiles): string {
  const numbers = Array.from({ length: files }, (_, number) => number);
  const texts = numbers.map((number) => textOf(number, lines));
  const commit = (mark: number, branch: string, changes: readonly string[]): string =>
    [
      `commit refs/heads/${branch}\nmark :${String(mark)}\ncommitter ${WHO}\ndata 2\nM\n`,
      mark === 1 ? '' : 'from :1\n',
      ...changes,
      '\n',
    ].join('');
  const oldName = (number: number): string => `old/${String(number)}.txt`;
  const newName = (number: number): string => `new/moved-${String(number)}.md`;
  return [
    commit(
      1,
      'master',
      texts.map((text, number) => file(oldName(number), text)),
    ),
    commit(
      2,
      'theirs',
      texts.flatMap((text, number) => [
        `D ${oldName(number)}\n`,
        file(newName(number), `${text}last\n`),
      ]),
    ),
    commit(
      3,
      'ours',
      texts.map((text, number) => file(oldName(number), `first\n${text}`)),
    ),
  ].join('');
}

const file = (path: string, text: string): string =>
  `M 100644 inline ${path}\ndata ${String(text.length)}\n${text}\n`;

/** Lines that files have in common with others in part, so that git cannot tell them apart at once. */
function textOf(seed: number, lines: number): string {
  let state = seed + 1;
  const line = (): string => {
    state = (state * 48_271) % 2_147_483_647;
    return `line ${String(state % 20_000)}\n`;
  };
  return Array.from({ length: lines }, line).join('');
}
