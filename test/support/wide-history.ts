import { numbers, type Numbers, pickFrom, writeChanges } from '../unit/git/support/odd-history.js';

const BRANCHES = ['master', 'side/one', 'side/zwei-ü', 'x-', 'HEAD.x', 'a@b', '日本'];
const PEOPLE = ['Ada', 'Grace "Ñandú" O’Neil', '李', 'x', 'Dr. D.', 'Ü\u0308 \u202etxet'];
const ADDRESSES = ['ada@example.com', 'ünï@例.jp', 'no-domain', 'a b@c', ''];
const ZONES = ['+0000', '-0000', '+0545', '-0330', '+1400', '-1200', '+0230'];
const MESSAGES = [
  'One line',
  'Title\n\nBody\n\nMore: 1\n',
  '\n\n  Late title  \nsecond line\n',
  'Wörter ☃ 👩‍👩‍👧\n',
  'a\r\nwindows\r\n',
  '\ttabs\t\n',
  '',
  '   \n',
  `${'long '.repeat(400)}\n`,
];
const START = 1_600_000_000;

interface Made {
  mark: number;
  branch: string;
}

/**
 * The input of `git fast-import` for a history on several branches: roots without anything in common,
 * merges of two and of many, commits that change nothing, files of every kind that come, go and move,
 * people and messages out of the ordinary, clocks that go wrong, tags with and without a message.
 */
export function wideHistory(seed: number, commits: number): Buffer {
  const random = numbers(seed);
  const parts: Buffer[] = [];
  const write = (text: string | Buffer): unknown => parts.push(Buffer.from(text));
  const tips = new Map<string, number>();
  for (let mark = 1; mark <= commits; mark += 1) {
    const branch = mark === 1 ? 'master' : pickFrom(BRANCHES, random);
    writeHead(write, random, { mark, branch });
    writeParents(write, random, { mark, branch }, tips);
    writeMove(write, random, mark);
    writeChanges(write, random, mark > 1);
    write('\n');
    tips.set(branch, mark);
    if (random(8) === 0) writeTag(write, random, mark);
  }
  return Buffer.concat(parts);
}

type Write = (text: string | Buffer) => unknown;

function writeHead(write: Write, random: Numbers, { mark, branch }: Made): void {
  write(`commit refs/heads/${branch}\nmark :${String(mark)}\n`);
  for (const role of ['author', 'committer']) {
    const time = START + mark * 3600 + (random(5) === 0 ? -86_400 : random(50));
    const who = `${pickFrom(PEOPLE, random)} <${pickFrom(ADDRESSES, random)}>`;
    write(`${role} ${who} ${String(time)} ${pickFrom(ZONES, random)}\n`);
  }
  const isOld = random(10) === 0;
  if (isOld) write('encoding ISO-8859-1\n');
  const message = isOld ? Buffer.from('Alt: gr\xfc\xdfe\n', 'latin1') : pickFrom(MESSAGES, random);
  writeData(write, message);
}

function writeParents(write: Write, random: Numbers, made: Made, tips: Map<string, number>): void {
  const { mark, branch } = made;
  const tip = tips.get(branch);
  // A branch that is new begins anywhere, or with a history of its own.
  if (tip !== undefined) write(`from :${String(tip)}\n`);
  else if (mark > 1 && random(4) > 0) write(`from :${String(1 + random(mark - 1))}\n`);
  else return;
  const others = [...tips.values()].filter((other) => other !== tip);
  if (random(3) > 0) return;
  for (const other of others.slice(0, 1 + random(3))) write(`merge :${String(other)}\n`);
}

/** A file of many lines moves, and changes a little. */
function writeMove(write: Write, random: Numbers, mark: number): void {
  if (random(3) > 0) return;
  const places = ['moved here', 'moved/deep/there.txt', 'mövéd "☃"'];
  for (const place of places) write(`D ${JSON.stringify(place)}\n`);
  const lines = Array.from({ length: 40 }, (_, line) => `line ${String(line)}\n`);
  lines.push(`and ${String(mark)}\n`);
  write(`M 100644 inline ${JSON.stringify(pickFrom(places, random))}\n`);
  writeData(write, lines.join(''));
}

function writeTag(write: Write, random: Numbers, mark: number): void {
  if (random(2) === 0) {
    write(`reset refs/tags/light/${String(mark)}\nfrom :${String(mark)}\n\n`);
    return;
  }
  write(`tag v${String(mark)}.0-ü\nfrom :${String(mark)}\n`);
  write(`tagger Ada <ada@example.com> ${String(START + mark)} +0000\n`);
  writeData(write, 'Tagged\n');
}

function writeData(write: Write, content: string | Buffer): void {
  const bytes = Buffer.from(content);
  write(`data ${String(bytes.length)}\n`);
  write(bytes);
  write('\n');
}
