import { GitProtocolError } from '../model/errors.js';
import type { Reply } from './co-process.js';

const LF = 0x0a;
const MAX_LINE = 1024 * 1024;

/** Parses an answer of text lines that ends with a known line. Calls `onLine` with each line before it. */
export class LineReply implements Reply<void> {
  private partial: Buffer[] = [];
  private partialSize = 0;

  constructor(
    private readonly lastLine: string,
    private readonly onLine: (line: string) => void,
  ) {}

  push(chunk: Buffer): Buffer | null {
    let at = 0;
    for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, at)) {
      const line = this.complete(chunk.subarray(at, end));
      at = end + 1;
      if (line === this.lastLine) return chunk.subarray(at);
      this.onLine(line);
    }
    this.keep(chunk.subarray(at));
    return null;
  }

  result(): void {
    // All lines were passed to onLine.
  }

  private complete(end: Buffer): string {
    this.keep(end);
    const line = Buffer.concat(this.partial).toString('utf8');
    this.partial = [];
    this.partialSize = 0;
    return line;
  }

  private keep(part: Buffer): void {
    this.partial.push(part);
    this.partialSize += part.length;
    if (this.partialSize > MAX_LINE) throw new GitProtocolError('git answered an endless line');
  }
}
