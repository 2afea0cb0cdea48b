import { LF } from '../model/bytes.js';
import { GitProtocolError } from '../model/errors.js';
import type { Diff, DiffEntry } from '../model/types.js';
import type { Reply } from '../process/co-process.js';

/** Longer than the line of any path that file systems allow. A difference with a longer one is cut. */
const MAX_HEADER_LINE = 1024 * 1024;
const MAX_DROPPED = 64 * 1024 * 1024;

/** Larger patches are left out; bytes. */
const MAX_DIFF_BYTES = 100 * 1024;
const MAX_FILES = 1000;
/** For more files git is stopped: it would take minutes. */
const MAX_NAMED = 200_000;
const MAX_LINES = 50_000;
/** Bounds the memory for lines that are extraordinarily long; bytes. */
const MAX_TEXT_BYTES = 8 * 1024 * 1024;

const RAW = /^:(\d{6}) (\d{6}) ([0-9a-f]{40}) ([0-9a-f]{40}) ([A-Z])\d*\t([^\t]+)(?:\t([^\t]+))?$/;
const SECTION = Buffer.from('diff --git ');
/** The beginnings of the text of a patch. The lines before are represented by the fields of the entry. */
const TEXT_STARTS = [Buffer.from('--- '), Buffer.from('Binary files ')];
const LINE_END = Buffer.from('\n');

/** Thrown to end the process when the difference exceeds a limit. */
export class DiffLimitReached extends Error {
  constructor(readonly diff: Diff) {
    super('The difference exceeds a limit');
  }
}

/**
 * Parses the answer of `diff-tree --stdin --raw -p` to one pair of trees, up to a known last line, in one pass.
 * Keeps no more than the limits allow.
 */
export class DiffReply implements Reply<Diff | null> {
  private readonly sections = new DiffSections();
  private readonly lastLine: Buffer;
  private partial: Buffer[] = [];
  private partialSize = 0;
  private part: 'names' | 'raw' | 'patch' = 'names';
  private ended = false;

  constructor(lastLine: string) {
    this.lastLine = Buffer.from(lastLine);
  }

  push(chunk: Buffer): Buffer | null {
    let at = 0;
    for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, at)) {
      const line = this.complete(chunk.subarray(at, end));
      at = end + 1;
      if (line.equals(this.lastLine)) {
        this.ended = true;
        return chunk.subarray(at);
      }
      this.take(line);
      if (this.sections.named > MAX_NAMED) throw new DiffLimitReached(this.sections.cut());
      if (this.sections.dropped > MAX_DROPPED) throw new DiffLimitReached(this.sections.cut());
    }
    this.keep(chunk.subarray(at));
    return null;
  }

  /** Returns null when one of the two trees is missing. */
  result(): Diff | null {
    return this.ended && this.part === 'names' ? null : this.sections.finish();
  }

  private take(line: Buffer): void {
    if (this.part === 'names') this.part = 'raw';
    else if (this.part === 'patch') this.sections.line(line);
    else if (line.length === 0) this.part = 'patch';
    else this.sections.file(line.toString('latin1'));
  }

  private complete(end: Buffer): Buffer {
    if (this.partialSize === 0) return end;
    this.partial.push(end);
    const line = Buffer.concat(this.partial);
    this.partial = [];
    this.partialSize = 0;
    return line;
  }

  /** Keeps an incomplete line. Of a line beyond all limits only the beginning is kept, which shows its kind. */
  private keep(part: Buffer): void {
    if (part.length === 0) return;
    if (this.partialSize <= MAX_HEADER_LINE) {
      this.partial.push(part);
      this.partialSize += part.length;
    } else if (this.part === 'patch') {
      this.sections.drop(part.length);
      if (this.sections.dropped > MAX_DROPPED) throw new DiffLimitReached(this.sections.cut());
    } else {
      throw new DiffLimitReached(this.sections.cut());
    }
  }
}

/** Assembles the files of a difference and their patches, within the limits. */
class DiffSections {
  /** Bytes that were read but not kept. */
  dropped = 0;
  private readonly entries: DiffEntry[] = [];
  private isCut = false;
  private current = -1;
  /** A file that changes its type has two patches: a deletion and an addition. */
  private patchesLeft = 0;
  private inText = false;
  private text: Buffer[] = [];
  private size = 0;
  private lines = 0;
  private totalLines = 0;
  private totalSize = 0;
  private done = false;
  /** The number of files that differ, including those that are left out. */
  named = 0;

  /** Takes a line of the list of files. */
  file(line: string): void {
    const match = RAW.exec(line);
    if (!match)
      throw new GitProtocolError(`diff-tree answered ${JSON.stringify(line.slice(0, 100))}`);
    this.named += 1;
    if (this.entries.length === MAX_FILES) {
      this.isCut = true;
      return;
    }
    const [, oldMode = '', newMode = '', oldOid = '', newOid = '', letter, first = '', second] =
      match;
    const oldPath = unquotePath(first).toString('utf8');
    const newPath = second === undefined ? oldPath : unquotePath(second).toString('utf8');
    const change = changeOf(letter);
    this.entries.push({ oldPath, newPath, oldMode, newMode, oldOid, newOid, change, text: '' });
  }

  /** Takes a line of the patches. */
  line(line: Buffer): void {
    if (this.done) {
      this.drop(line.length);
    } else if (line.subarray(0, SECTION.length).equals(SECTION)) {
      this.begin();
    } else {
      this.inText ||= TEXT_STARTS.some((start) => line.subarray(0, start.length).equals(start));
      if (this.inText) this.add(line);
    }
  }

  drop(bytes: number): void {
    this.dropped += bytes;
  }

  finish(): Diff {
    if (!this.done) this.settle();
    return { entries: this.entries, isCut: this.isCut };
  }

  /** Returns what is known when reading stops early. */
  cut(): Diff {
    if (!this.done) {
      const isKnown = this.size > MAX_DIFF_BYTES;
      this.entries.length = Math.max(0, this.current + Number(isKnown));
      this.isCut = true;
    }
    return { entries: this.entries, isCut: this.isCut };
  }

  private begin(): void {
    this.inText = false;
    if (this.patchesLeft > 0) {
      this.patchesLeft -= 1;
      return;
    }
    this.settle();
    if (this.done) return;
    this.current += 1;
    const entry = this.entries[this.current];
    if (entry === undefined) {
      this.done = true;
      return;
    }
    this.patchesLeft = entry.change === 'retyped' ? 1 : 0;
  }

  private add(line: Buffer): void {
    this.size += line.length + 1;
    this.lines += 1;
    if (this.size <= MAX_DIFF_BYTES) {
      // Copied, since the line is part of a larger buffer, which would be kept in memory.
      this.text.push(Buffer.from(line), LINE_END);
      return;
    }
    this.text = [];
    this.drop(line.length);
  }

  /** Sets the text of the entry, or ends the list before it. */
  private settle(): void {
    const entry = this.entries[this.current];
    const fits = this.size <= MAX_DIFF_BYTES;
    if (entry && fits) {
      this.totalLines += this.lines;
      this.totalSize += this.size;
      if (this.totalLines > MAX_LINES || this.totalSize > MAX_TEXT_BYTES) {
        this.entries.length = this.current;
        this.isCut = true;
        this.done = true;
      } else entry.text = Buffer.concat(this.text).toString('utf8');
    }
    this.text = [];
    this.size = 0;
    this.lines = 0;
  }
}

function changeOf(letter: string | undefined): DiffEntry['change'] {
  switch (letter) {
    case 'A':
      return 'added';
    case 'D':
      return 'deleted';
    case 'R':
      return 'renamed';
    case 'T':
      return 'retyped';
    default:
      return 'modified';
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const ESCAPES: Readonly<Record<string, number>> = {
  a: 0x07,
  b: 0x08,
  t: 0x09,
  n: 0x0a,
  v: 0x0b,
  f: 0x0c,
  r: 0x0d,
};

/** Returns the bytes of a path that git has printed, in quotes if it has unusual characters. */
function unquotePath(text: string): Buffer {
  const printed = Buffer.from(text, 'latin1');
  if (printed[0] !== QUOTE || printed.length < 2) return printed;
  const bytes: number[] = [];
  for (let at = 1; at < printed.length - 1; at += 1) {
    if (printed[at] !== BACKSLASH) {
      bytes.push(printed[at] ?? 0);
      continue;
    }
    const octal = /^[0-3][0-7]{2}/.exec(text.slice(at + 1, at + 4))?.[0];
    const letter = text[at + 1] ?? '';
    bytes.push(
      octal === undefined ? (ESCAPES[letter] ?? letter.charCodeAt(0)) : parseInt(octal, 8),
    );
    at += octal?.length ?? 1;
  }
  return Buffer.from(bytes);
}
