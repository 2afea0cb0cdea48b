import type { ChildProcess } from 'node:child_process';
import type { Writable } from 'node:stream';
import { LF } from '../model/bytes.js';
import {
  GitBusyError,
  GitClosedError,
  type GitError,
  GitProcessError,
  GitTimeoutError,
} from '../model/errors.js';
import { asError, endWithin, stderrTail, stopGroup } from './launcher.js';
import { memoryOf } from './process-memory.js';

/** Longer lines are cut. */
const MAX_LINE = 1024 * 1024;

/** Parses the answer to one request from a stream that may be cut anywhere. */
export interface Reply<T> {
  /**
   * Takes the next bytes. Returns null while the answer is incomplete, else the bytes after it. When this
   * throws, the process is ended.
   */
  push(chunk: Buffer): Buffer | null;
  /** Returns the answer once `push` has returned a buffer. */
  result(): T;
}

interface Pending {
  reply: Reply<unknown>;
  resolve(value: unknown): void;
  reject(error: Error): void;
  timer: NodeJS.Timeout;
}

interface CoProcessEvents {
  onIdle(): void;
  onEnd(): void;
}

/** The process ended because of a request before this one, which git has not answered. */
export class RequestDroppedError extends GitBusyError {
  constructor(
    command: string,
    /** Whether git may have done what was asked. */
    readonly mayBeDone: boolean,
  ) {
    super(`git ${command} has ended because of another request`);
  }
}

/**
 * A long-lived git process that answers requests in the order they are written. Requests are pipelined. When
 * the process ends, the request that it was working on fails, and those behind it are dropped. The request is dropped,
 * too, when the process has run out of memory and answered others before, since git keeps some of what it reads.
 */
export class CoProcess {
  private readonly queue: Pending[] = [];
  private readonly stderr: () => string;
  private readonly stdin: Writable;
  private over: GitError | null = null;
  private hasAnswered = false;
  /** Whether further output belongs to a request that has failed already. */
  private isAbandoned = false;

  constructor(
    private readonly child: ChildProcess,
    private readonly command: string,
    private readonly events: CoProcessEvents,
  ) {
    const { stdin, stdout, stderr } = child;
    if (!stdin || !stdout || !stderr) throw new GitClosedError();
    this.stdin = stdin;
    this.stderr = stderrTail(stderr);
    stdout.on('data', (chunk: Buffer) => this.receive(chunk));
    // A write to a process that has just ended. 'close' reports the end.
    stdin.on('error', () => undefined);
    child.once('error', () => {
      if (child.pid === undefined) this.end(null, null);
    });
    child.once('close', (code, signal) => this.end(code, signal));
  }

  /** Whether it accepts requests. */
  get alive(): boolean {
    return this.over === null;
  }

  get idle(): boolean {
    return this.queue.length === 0;
  }

  /** Bytes. */
  get memory(): number {
    return this.child.pid === undefined ? 0 : memoryOf(this.child.pid);
  }

  /** Writes a request at once and resolves with its answer. */
  request<T>(input: string | Buffer, reply: Reply<T>, timeoutMs: number): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.over) {
        reject(this.over);
        return;
      }
      const timer = setTimeout(() => {
        this.abandon(new GitTimeoutError(this.command, timeoutMs));
      }, timeoutMs);
      this.queue.push({ reply, timer, reject, resolve: (value) => resolve(value as T) });
      this.stdin.write(input);
    });
  }

  /** Accepts no more requests, answers the pending ones, and ends. Resolves when the process has ended. */
  async retire(graceMs: number): Promise<void> {
    this.over ??= new GitProcessError(this.command, null, 'retired');
    this.stdin.end();
    await endWithin(this.child, graceMs);
  }

  private receive(chunk: Buffer): void {
    if (this.isAbandoned) return;
    let rest: Buffer | null = chunk;
    try {
      while (rest && rest.length > 0) {
        const current = this.queue[0];
        if (!current) return;
        rest = current.reply.push(rest);
        if (rest) this.settle(current);
      }
    } catch (error) {
      this.abandon(asError(error));
    }
  }

  private settle(done: Pending): void {
    this.queue.shift();
    this.hasAnswered = true;
    clearTimeout(done.timer);
    done.resolve(done.reply.result());
    if (this.idle) this.events.onIdle();
  }

  /** Fails the first request with the reason, and ends the process, which drops the others. */
  private abandon(reason: Error): void {
    const first = this.queue.shift();
    if (first) {
      clearTimeout(first.timer);
      first.reject(reason);
    }
    this.isAbandoned = true;
    this.over ??= new GitProcessError(this.command, null, 'abandoned');
    void stopGroup(this.child);
  }

  private end(code: number | null, signal: NodeJS.Signals | null): void {
    const failure = new GitProcessError(this.command, code, this.stderr(), signal);
    this.over = failure;
    // A process that ends by itself has not begun with the requests behind the first.
    const dropped = new RequestDroppedError(this.command, this.isAbandoned || signal !== null);
    const first = this.isAbandoned ? dropped : this.failureOfFirst(failure);
    for (const [index, pending] of this.queue.splice(0).entries()) {
      clearTimeout(pending.timer);
      pending.reject(index === 0 ? first : dropped);
    }
    this.events.onEnd();
  }

  /** Memory may have been used up by what git keeps of earlier requests. */
  private failureOfFirst(failure: GitProcessError): GitError {
    if (!failure.isExhausted || !this.hasAnswered) return failure;
    return new RequestDroppedError(this.command, true);
  }
}

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
    const kept = part.subarray(0, MAX_LINE - this.partialSize);
    this.partial.push(kept);
    this.partialSize += kept.length;
  }
}
