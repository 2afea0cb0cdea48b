import type { Reply } from './co-process.js';
import { DiffSections, MAX_NAMED } from './diff-sections.js';
import { GitProtocolError } from './errors.js';
import type { Diff } from './types.js';

const LF = 0x0a;
/** Longer than the line of any file whose path a file system takes. */
const MAX_HEADER_LINE = 1024 * 1024;
const MAX_DROPPED = 64 * 1024 * 1024;

/** Thrown to end the process of a difference of which nothing more is wanted. */
export class EnoughRead extends Error {
  constructor(readonly diff: Diff) {
    super('The rest of the difference is not wanted');
  }
}

/**
 * The answer of `diff-tree --stdin --raw -p` to one pair of trees, up to a known last line. Reads it in
 * one pass and holds no more than what the limits let through.
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
      if (this.sections.named > MAX_NAMED) throw new EnoughRead(this.sections.giveUp());
      if (this.sections.dropped > MAX_DROPPED) throw new EnoughRead(this.sections.giveUp());
    }
    this.keep(chunk.subarray(at));
    return null;
  }

  /** Null when one of the two is no tree of the repository. */
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

  /** Of a line that is too long for any limit only the beginning is kept, which tells its kind. */
  private keep(part: Buffer): void {
    if (part.length === 0) return;
    if (this.partialSize <= MAX_HEADER_LINE) {
      this.partial.push(part);
      this.partialSize += part.length;
    } else if (this.part === 'patch') {
      this.sections.drop(part.length);
      if (this.sections.dropped > MAX_DROPPED) throw new EnoughRead(this.sections.giveUp());
    } else {
      throw new GitProtocolError('git answered an endless line');
    }
  }
}
