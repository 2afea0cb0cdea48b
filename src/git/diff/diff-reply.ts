import { GitProtocolError } from '../model/errors.js';
import type { Diff } from '../model/types.js';
import type { Reply } from '../process/co-process.js';
import { DiffSections, MAX_NAMED } from './diff-sections.js';

const LF = 0x0a;
/** Longer than the line of any path that file systems allow. */
const MAX_HEADER_LINE = 1024 * 1024;
const MAX_DROPPED = 64 * 1024 * 1024;

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
      throw new GitProtocolError('git answered an endless line');
    }
  }
}
