import { LF, SPACE } from './bytes.js';
import { ObjectDamagedError } from './errors.js';
import type { Commit, Oid, Signature } from './types.js';

/** Two days before the last moment that a `Date` can hold, so that an offset can be added. */
const LATEST_DATE_MS = 8.64e15 - 2 * 86_400_000;

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
  const { headers, body } = splitCommit(content);
  const first = (name: string): Buffer | undefined => headers.find((h) => h.name === name)?.value;
  const tree = first('tree')?.toString('latin1');
  if (tree === undefined) throw new ObjectDamagedError(oid);
  const decode = decoder(first('encoding')?.toString('latin1'));
  return {
    oid,
    tree,
    parents: headers.filter((h) => h.name === 'parent').map((h) => h.value.toString('latin1')),
    author: parseSignature(first('author'), decode),
    committer: parseSignature(first('committer'), decode),
    message: decode(upToNul(body)),
  };
}

/** Returns a blank commit, which lists show for a commit that is damaged or missing. */
export function unreadableCommit(oid: Oid): Commit {
  return parseCommit(oid, Buffer.from('tree \n'));
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

/** Git treats messages as C strings. */
function upToNul(body: Buffer): Buffer {
  const nul = body.indexOf(0);
  return nul === -1 ? body : body.subarray(0, nul);
}

function decoder(label: string | undefined): (bytes: Buffer) => string {
  if (label !== undefined && !/^utf-?8$/i.test(label)) {
    try {
      const known = new TextDecoder(label, { ignoreBOM: true });
      return (bytes) => known.decode(bytes);
    } catch {
      // An unknown encoding is read as UTF-8.
    }
  }
  return (bytes) => bytes.toString('utf8');
}

function parseSignature(line: Buffer | undefined, decode: (bytes: Buffer) => string): Signature {
  const bytes = line ?? Buffer.alloc(0);
  const open = bytes.indexOf('<');
  const close = open === -1 ? -1 : bytes.indexOf('>', open);
  if (open === -1 || close === -1) {
    return { name: '', email: '', date: new Date(0), timezone: '+0000' };
  }
  return {
    name: decode(bytes.subarray(0, open)).trimEnd(),
    email: decode(bytes.subarray(open + 1, close)),
    ...parseTime(bytes.toString('latin1', bytes.lastIndexOf('>') + 1)),
  };
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
