import { LF, SPACE } from './bytes.js';
import { convertToUtf8 } from './commit-encoding.js';
import { ObjectDamagedError } from './errors.js';
import type { Commit, Oid, Signature, TagText } from './types.js';

/** Two days before the last moment that a `Date` can hold, so that an offset can be added. */
const LATEST_DATE_MS = 8.64e15 - 2 * 86_400_000;

/** Space, tab and carriage return. */
const BLANKS: readonly number[] = [SPACE, 0x09, 0x0d];

const TREE = 'tree ';
const PARENT = 'parent ';

/** The largest offset that four digits can hold. */
const WIDEST_TIMEZONE = 9999;

/** A commit in two parts, of which the first ends with a line end. */
interface SplitCommit {
  headers: Buffer;
  message: Buffer;
}

/**
 * Parses a commit object as leniently as git: a malformed person or date does not make it fail.
 * @throws ObjectDamagedError when there is no tree
 */
export function parseCommit(oid: Oid, content: Buffer): Commit {
  const stored = splitCommit(content);
  const tree = treeOf(stored.headers);
  if (tree === null) throw new ObjectDamagedError(oid);
  const { headers, message } = inUtf8(content, stored);
  return {
    oid,
    tree,
    parents: parseParents(content),
    author: parseSignature(valueOf('author', headers)),
    committer: parseSignature(valueOf('committer', headers)),
    message: upToNul(message).toString('utf8'),
  };
}

/** What a rebase keeps of a commit. */
export interface CommitOrigin {
  /** The author with the date, as the header has them. */
  author: Buffer;
  message: Buffer;
}

/** Returns what a rebase keeps of a commit: byte by byte, but in UTF-8 if the commit names another encoding. */
export function parseOrigin(content: Buffer): CommitOrigin {
  const { headers, message } = inUtf8(content, splitCommit(content));
  return { author: valueOf('author', headers) ?? Buffer.alloc(0), message: upToNul(message) };
}

/** Returns the parents of a commit. Like git, takes the lines behind the tree, and no later header of that name. */
export function parseParents(content: Buffer): Oid[] {
  const parents: Oid[] = [];
  let at = endOfLine(content, 0) + 1;
  while (content.toString('latin1', at, at + PARENT.length) === PARENT) {
    const end = endOfLine(content, at);
    parents.push(content.toString('latin1', at + PARENT.length, end));
    at = end + 1;
  }
  return parents;
}

/** Parses a tag object as leniently as git; it has no tagger where old versions of git wrote none. */
export function parseTag(content: Buffer): TagText {
  const headersEnd = content.indexOf('\n\n');
  const tagger = valueOf('tagger', content.subarray(0, headersEnd === -1 ? undefined : headersEnd));
  return {
    // Without the line end that git adds.
    message: headersEnd === -1 ? '' : content.toString('utf8', headersEnd + 2).replace(/\n$/, ''),
    tagger: tagger === undefined ? null : parseSignature(tagger),
  };
}

/** Returns a blank commit, which lists show for a commit that is damaged or missing. */
export function unreadableCommit(oid: Oid): Commit {
  return parseCommit(oid, Buffer.from('tree \n'));
}

/** Converts a commit that names its encoding. */
function inUtf8(content: Buffer, stored: SplitCommit): SplitCommit {
  const encoding = valueOf('encoding', stored.headers)?.toString('latin1');
  if (encoding === undefined) return stored;
  return splitCommit(upToNul(convertToUtf8(upToNul(content), encoding)));
}

function treeOf(headers: Buffer): Oid | null {
  const line = headers.toString('latin1', 0, endOfLine(headers, 0));
  return line.startsWith(TREE) ? line.slice(TREE.length) : null;
}

/**
 * Returns the value of the first header with a name. Lines that continue a header begin with a space. Searches the whole text,
 * since a commit may have half a million headers.
 */
function valueOf(name: string, headers: Buffer): Buffer | undefined {
  const line = `\n${name} `;
  const found = headers.indexOf(line);
  if (found === -1) return undefined;
  const start = found + line.length;
  return headers.subarray(start, endOfLine(headers, start));
}

/** Splits a commit at the first empty line. */
function splitCommit(content: Buffer): SplitCommit {
  const end = content.indexOf('\n\n');
  const split = end === -1 ? content.length : end + 1;
  return { headers: content.subarray(0, split), message: content.subarray(split + 1) };
}

function endOfLine(text: Buffer, at: number): number {
  const newline = text.indexOf(LF, at);
  return newline === -1 ? text.length : newline;
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
