import { LF, SPACE } from './bytes.js';
import { convertToUtf8 } from './commit-encoding.js';
import { ObjectDamagedError } from './errors.js';
import type { Commit, Oid, Signature } from './types.js';

/** Two days before the last moment that a `Date` can hold, so that an offset can be added. */
const LATEST_DATE_MS = 8.64e15 - 2 * 86_400_000;

/** Space, tab and carriage return. */
const BLANKS: readonly number[] = [SPACE, 0x09, 0x0d];

/** The largest offset that four digits can hold. */
const WIDEST_TIMEZONE = 9999;

interface RawHeader {
  name: string;
  value: Buffer;
}

/**
 * Parses a commit object as leniently as git: a malformed person or date does not make it fail.
 * @throws ObjectDamagedError when there is no tree
 */
export function parseCommit(oid: Oid, content: Buffer): Commit {
  const stored = splitCommit(content);
  const encoding = valueOf('encoding', stored.headers)?.toString('latin1');
  const { headers, body } =
    encoding === undefined ? stored : splitCommit(convertToUtf8(upToNul(content), encoding));
  const tree = valueOf('tree', headers)?.toString('latin1');
  if (tree === undefined) throw new ObjectDamagedError(oid);
  return {
    oid,
    tree,
    parents: headers.filter((h) => h.name === 'parent').map((h) => h.value.toString('latin1')),
    author: parseSignature(valueOf('author', headers)),
    committer: parseSignature(valueOf('committer', headers)),
    message: upToNul(body).toString('utf8'),
  };
}

/** Returns a blank commit, which lists show for a commit that is damaged or missing. */
export function unreadableCommit(oid: Oid): Commit {
  return parseCommit(oid, Buffer.from('tree \n'));
}

function valueOf(name: string, headers: readonly RawHeader[]): Buffer | undefined {
  return headers.find((header) => header.name === name)?.value;
}

/** Splits a commit at the first empty line. Lines that begin with a space continue a header. */
function splitCommit(content: Buffer): { headers: RawHeader[]; body: Buffer } {
  const headers: RawHeader[] = [];
  let at = 0;
  while (at < content.length && content[at] !== LF) {
    const newline = content.indexOf(LF, at);
    const end = newline === -1 ? content.length : newline;
    if (content[at] !== SPACE) headers.push(parseHeader(content.subarray(at, end)));
    at = end + 1;
  }
  return { headers, body: content.subarray(Math.min(at + 1, content.length)) };
}

function parseHeader(line: Buffer): RawHeader {
  const space = line.indexOf(SPACE);
  return space === -1
    ? { name: line.toString('latin1'), value: Buffer.alloc(0) }
    : { name: line.toString('latin1', 0, space), value: line.subarray(space + 1) };
}

/** Git treats commits and messages as C strings. */
function upToNul(text: Buffer): Buffer {
  const nul = text.indexOf(0);
  return nul === -1 ? text : text.subarray(0, nul);
}

function parseSignature(line: Buffer | undefined): Signature {
  const bytes = line ?? Buffer.alloc(0);
  const open = bytes.indexOf('<');
  const close = open === -1 ? -1 : bytes.indexOf('>', open);
  if (open === -1 || close === -1) {
    return { name: '', email: '', date: new Date(0), timezone: '+0000' };
  }
  return {
    name: bytes.toString('utf8', 0, endOfName(bytes, open)),
    email: bytes.toString('utf8', open + 1, close),
    ...parseTime(bytes.toString('latin1', bytes.lastIndexOf('>') + 1)),
  };
}

/** Git drops blanks between name and e-mail. Of others, such as U+3000, it knows nothing. */
function endOfName(line: Buffer, open: number): number {
  let end = open;
  while (end > 0 && BLANKS.includes(line[end - 1] ?? 0)) end -= 1;
  return end;
}

function parseTime(text: string): { date: Date; timezone: string } {
  const [, seconds = '0', sign = '+', offset = '0'] =
    /^\s*(\d+)(?:\s*([+-])(\d+))?/.exec(text) ?? [];
  const milliseconds = Number(seconds) * 1000;
  return {
    date: new Date(milliseconds <= LATEST_DATE_MS ? milliseconds : 0),
    timezone: formatTimezone(sign, Number(offset)),
  };
}

/** Git reads an offset as a decimal number, whose last two digits are minutes: `-700` is `-0700`. */
function formatTimezone(sign: string, offset: number): string {
  return offset > WIDEST_TIMEZONE ? '+0000' : `${sign}${String(offset).padStart(4, '0')}`;
}
