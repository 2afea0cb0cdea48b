import { GitProtocolError } from './errors.js';
import { unquotePath } from './quoted-path.js';
import type { Diff, DiffEntry } from './types.js';

/** Larger ones are shown as files without text; bytes. */
const MAX_DIFF_BYTES = 100 * 1024;
const MAX_FILES = 1000;
/** Of more files nothing is shown: git would go on for minutes. */
export const MAX_NAMED = 200_000;
const MAX_LINES = 50_000;
/** Bounds the memory for lines that are extraordinarily long; bytes. */
const MAX_TEXT_BYTES = 8 * 1024 * 1024;

const RAW = /^:(\d{6}) (\d{6}) ([0-9a-f]{40}) ([0-9a-f]{40}) ([A-Z])\d*\t([^\t]+)(?:\t([^\t]+))?$/;
const SECTION = Buffer.from('diff --git ');
/** With these the part begins that is shown: what stands before is told by the entry. */
const TEXT_STARTS = [Buffer.from('--- '), Buffer.from('Binary files ')];
const LF = Buffer.from('\n');

/** Puts the files of a difference and their patches together, as far as the limits let them. */
export class DiffSections {
  /** Bytes read past since something was left out. */
  dropped = 0;
  private readonly entries: DiffEntry[] = [];
  private isCut = false;
  private current = -1;
  /** A file that became something else, such as a link, has two patches: it goes and it comes. */
  private patchesLeft = 0;
  private inText = false;
  private text: Buffer[] = [];
  private size = 0;
  private lines = 0;
  private totalLines = 0;
  private totalSize = 0;
  private done = false;
  /** Files that differ, also those that are left out. */
  named = 0;

  /** A line that names a file. */
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

  /** A line of the patches. */
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

  /** What is known when nothing more is read. */
  giveUp(): Diff {
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
      // A copy: the line is part of a larger buffer, which would stay in memory with it.
      this.text.push(Buffer.from(line), LF);
      return;
    }
    this.text = [];
    this.drop(line.length);
  }

  /** Gives the entry its text, or ends the list before it. */
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
