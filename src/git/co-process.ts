import type { ChildProcess } from 'node:child_process';
import type { Writable } from 'node:stream';
import { GitClosedError, GitProcessError, GitTimeoutError, type GitError } from './errors.js';
import { asError, endWithin, stderrTail, stopGroup } from './launcher.js';

/** Takes the answer to one request out of a stream that may be cut anywhere. */
export interface Reply<T> {
  /**
   * Takes the next bytes. Returns null while the answer is incomplete, else the bytes behind it.
   * Throwing means that the process no longer keeps its format; it is then given up.
   */
  push(chunk: Buffer): Buffer | null;
  /** The answer, once `push` has returned a rest. */
  result(): T;
}

interface Pending {
  reply: Reply<unknown>;
  resolve(value: unknown): void;
  reject(error: Error): void;
  timer: NodeJS.Timeout;
}

export interface CoProcessEvents {
  onIdle(): void;
  onEnd(): void;
}

/**
 * A long-lived git process that answers requests in the order they are written. Any number may be
 * under way at once. When the process ends, all of them fail.
 */
export class CoProcess {
  private readonly queue: Pending[] = [];
  private readonly stderr: () => string;
  private readonly stdin: Writable;
  private over: GitError | null = null;
  /** What still comes belongs to an answer that nobody waits for. */
  private isGivenUp = false;

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
    // A write to a process that has just died; its end is reported by 'close'.
    stdin.on('error', () => undefined);
    child.once('error', () => {
      if (child.pid === undefined) this.end(null, null);
    });
    child.once('close', (code, signal) => this.end(code, signal));
  }

  /** Whether it takes requests. */
  get alive(): boolean {
    return this.over === null;
  }

  get idle(): boolean {
    return this.queue.length === 0;
  }

  /** Writes a request at once and resolves with its answer. */
  request<T>(input: string | Buffer, reply: Reply<T>, timeoutMs: number): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.over) {
        reject(this.over);
        return;
      }
      const timer = setTimeout(() => {
        this.giveUp(new GitTimeoutError(this.command, timeoutMs));
      }, timeoutMs);
      this.queue.push({ reply, timer, reject, resolve: (value) => resolve(value as T) });
      this.stdin.write(input);
    });
  }

  /** Takes no more requests, answers those under way, and ends. Resolves when it is gone. */
  async retire(graceMs: number): Promise<void> {
    this.over ??= new GitProcessError(this.command, null, 'retired');
    this.stdin.end();
    await endWithin(this.child, graceMs);
  }

  private receive(chunk: Buffer): void {
    if (this.isGivenUp) return;
    let rest: Buffer | null = chunk;
    try {
      while (rest && rest.length > 0) {
        const current = this.queue[0];
        if (!current) return;
        rest = current.reply.push(rest);
        if (rest) this.settle(current);
      }
    } catch (error) {
      this.giveUp(asError(error));
    }
  }

  private settle(done: Pending): void {
    this.queue.shift();
    clearTimeout(done.timer);
    done.resolve(done.reply.result());
    if (this.idle) this.events.onIdle();
  }

  /** The first request gets the reason; those behind it only lose their process. */
  private giveUp(reason: Error): void {
    const first = this.queue.shift();
    if (first) {
      clearTimeout(first.timer);
      first.reject(reason);
    }
    this.isGivenUp = true;
    this.over ??= new GitProcessError(this.command, null, 'given up');
    void stopGroup(this.child);
  }

  private end(code: number | null, signal: NodeJS.Signals | null): void {
    const failure = new GitProcessError(this.command, code, this.stderr(), signal);
    this.over = failure;
    for (const pending of this.queue.splice(0)) {
      clearTimeout(pending.timer);
      pending.reject(failure);
    }
    this.events.onEnd();
  }
}
