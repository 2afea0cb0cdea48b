/** Names that have to survive quoting, sorting and decoding. */
export const ODD_NAMES = [
  'plain.txt',
  'with space',
  'tab\tand"quote',
  'line\nbreak',
  'back\\slash',
  '-leading-dash',
  'ünï cødé ☃',
  'dir/a',
  'dir-a',
  'dir.a',
  'dir/deep/er/file',
  '#end',
  ':(glob)*',
  'trailing ',
];

/** The next number of a sequence, below a limit. */
export type Numbers = (below: number) => number;

/** A generator with a seed, so that a failure can be repeated. */
export function numbers(seed: number): Numbers {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >> 8) % below;
  };
}

export function pickFrom<T>(all: readonly T[], random: Numbers): T {
  return all[random(all.length)] as T;
}

const CONTENTS = [
  Buffer.from('one\ntwo\nthree\n'),
  Buffer.from('no line end'),
  Buffer.alloc(0),
  Buffer.from([0, 1, 2, 255, 254]),
  Buffer.from('latin1: \xe9\xe8\n', 'latin1'),
  Buffer.from('--- a/x\n+++ b/x\ndiff --git a/x b/x\n#end\n@@ -1 +1 @@\n'),
  Buffer.from(`${Array.from({ length: 60 }, (_, n) => `line ${n}`).join('\n')}\n`),
  Buffer.from('\r\n\r\nwindows\r\n'),
];
const MODES = ['100644', '100755', '120000', '160000'];

/**
 * The input of `git fast-import` for a history on `master` in which files come, go, move and change
 * what they are, with merges and empty commits.
 */
export function oddHistory(seed: number, commits: number): Buffer {
  const random = numbers(seed);
  const parts: Buffer[] = [];
  const write = (text: string | Buffer): unknown => parts.push(Buffer.from(text));
  for (let number = 1; number <= commits; number += 1) {
    const who = `Ada <ada@example.com> ${1_700_000_000 + number * 60} +0000`;
    write(`commit refs/heads/master\nmark :${number}\nauthor ${who}\ncommitter ${who}\n`);
    write('data 2\nx\n');
    if (number > 1) write(`from :${number - 1}\n`);
    if (number > 3 && random(4) === 0) write(`merge :${number - 3}\nmerge :${number - 2}\n`);
    writeChanges(write, random, number > 1);
    write('\n');
  }
  return Buffer.concat(parts);
}

/** Up to three changes of files, as a commit of `git fast-import` tells them. */
export function writeChanges(
  write: (text: string | Buffer) => unknown,
  random: Numbers,
  mayDelete: boolean,
): void {
  for (let change = random(4); change > 0; change -= 1) {
    const name = JSON.stringify(pickFrom(ODD_NAMES, random));
    const kind = random(5);
    if (kind === 0 && mayDelete) {
      write(`D ${name}\n`);
      continue;
    }
    const mode = pickFrom(MODES, random);
    if (mode === '160000') {
      write(`M ${mode} ${'1234567890'.repeat(4)} ${name}\n`);
      continue;
    }
    const more = Buffer.from(kind === 1 ? 'more\n' : '');
    const content = Buffer.concat([pickFrom(CONTENTS, random), more]);
    write(`M ${mode} inline ${name}\ndata ${content.length}\n`);
    write(content);
    write('\n');
  }
}
