import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';
import type { Readable } from 'node:stream';
import type { GitCommand } from './command-table.js';
import { GitClosedError, GitProcessError, GitProtocolError, GitTimeoutError } from './errors.js';
import { NICENESS, ProcessScheduler, type WorkKind, type Workload } from './process-scheduler.js';

const STDERR_TAIL = 8192;
const KILL_AFTER_MS = 5000;
/** A push that was accepted may take this long to end when the service closes. */
const SPARED_MS = 60_000;

export interface RunOptions {
  /** What the command waits its turn by. */
  workload: Workload;
  timeoutMs: number;
  /** More output than this fails the run; bytes. */
  maxBytes?: number;
  /** Exit codes that are answers rather than failures; 0 alone by default. */
  exitCodes?: readonly number[];
  environment?: Record<string, string>;
  signal?: AbortSignal | undefined;
  /** What git reads from its standard input; nothing unless told. */
  input?: string | Buffer;
  /** Gets the process that was started. */
  onStart?: (child: ChildProcess) => void;
  /** Hears the output, which is then not collected. */
  onStdout?: (chunk: Buffer) => void;
  /** Hears what git says on its way. */
  onStderr?: (chunk: Buffer) => void;
  /** Hears what git writes to file descriptor 3. */
  onThird?: (chunk: Buffer) => void;
}

export interface RunResult {
  exitCode: number;
  stdout: Buffer;
}

/** The one place where git processes are started. */
export class Launcher {
  private readonly children = new Set<ChildProcess>();
  private readonly spared = new WeakSet<ChildProcess>();
  private closed = false;
  /** Decides when a command that `run` was asked for may start. */
  readonly scheduler = new ProcessScheduler();
  /** Processes started since `Git.open`. */
  spawnCount = 0;

  constructor(
    private readonly executable: string,
    private readonly environment: Record<string, string>,
    private readonly folder: string,
  ) {}

  /** Starts git in a process group of its own, out of reach of a terminal's Ctrl-C. */
  spawn(
    command: GitCommand,
    stdio: StdioOptions,
    environment: Record<string, string> = {},
  ): ChildProcess {
    if (this.closed) throw new GitClosedError();
    this.spawnCount += 1;
    const [program, args] = programOf(this.executable, command);
    const child = spawn(program, args, {
      cwd: this.folder,
      env: { ...this.environment, ...environment },
      stdio,
      detached: true,
    });
    this.children.add(child);
    child.once('close', () => this.children.delete(child));
    child.once('error', () => {
      if (child.pid === undefined) this.children.delete(child);
    });
    return child;
  }

  /** Runs one command when its turn has come, and collects its output. */
  async run(command: GitCommand, options: RunOptions): Promise<RunResult> {
    const release = await this.scheduler.acquire(options.workload, options.signal);
    try {
      return await this.collect(command, options);
    } finally {
      release();
    }
  }

  private async collect(command: GitCommand, options: RunOptions): Promise<RunResult> {
    options.signal?.throwIfAborted();
    const { input, onStderr, onThird } = options;
    const stdin = input === undefined ? 'ignore' : 'pipe';
    const stdio: StdioOptions = [stdin, 'pipe', 'pipe', ...(onThird ? ['pipe' as const] : [])];
    const child = this.spawn(command, stdio, options.environment);
    lowerPriority(child, options.workload.kind);
    options.onStart?.(child);
    const tail = stderrTail(child.stderr);
    if (onStderr) child.stderr?.on('data', onStderr);
    if (onThird) (child.stdio[3] as Readable).on('data', onThird);
    // git may end before it has read everything; its exit code tells what to think of that.
    child.stdin?.on('error', () => undefined).end(input);
    const stopped = stopping(child, command, options);
    const tooMuch = (): void =>
      stopped.stop(new GitProtocolError(`git ${command.name} answered more than expected`));
    const output = collectOutput(child, options, tooMuch);
    try {
      const exitCode = await exitOf(child);
      const reason = stopped.reason();
      if (reason) throw reason;
      if (exitCode === null || !(options.exitCodes ?? [0]).includes(exitCode)) {
        throw new GitProcessError(command.name, exitCode, tail());
      }
      return { exitCode, stdout: Buffer.concat(output) };
    } finally {
      stopped.release();
    }
  }

  /** Keeps `close` from stopping a process; it is waited for instead. */
  spare(child: ChildProcess): void {
    this.spared.add(child);
  }

  /** Stops what still runs and waits for it. */
  async close(): Promise<void> {
    this.closed = true;
    const running = [...this.children];
    await Promise.all(
      running.map((child) => {
        if (this.spared.has(child)) return endWithin(child, SPARED_MS);
        return stopGroup(child);
      }),
    );
  }
}

/**
 * Lowers the priority of a process that `spawn` has started, so that the machine serves the service itself
 * first. Only for processes of one kind of work: a long-lived one serves clients as well.
 */
export function lowerPriority({ pid }: ChildProcess, kind: WorkKind): void {
  if (pid === undefined) return;
  const niceness = Math.min(getPriority() + NICENESS[kind], constants.priority.PRIORITY_LOW);
  try {
    setPriority(pid, niceness);
    // Where Linux groups processes by session and no cgroup does, the niceness counts within a session only.
    writeFileSync(`/proc/${String(pid)}/autogroup`, String(niceness));
  } catch {
    // It has ended already, or the kernel has no such groups.
  }
}

/** The shell sets the limit, which Node cannot, and becomes git. */
const WITHIN_MEMORY = 'ulimit -d "$1"; shift; exec "$@"';

function programOf(executable: string, { args, memoryKib }: GitCommand): [string, string[]] {
  if (memoryKib === undefined) return [executable, [...args]];
  return ['/bin/sh', ['-c', WITHIN_MEMORY, 'sh', String(memoryKib), executable, ...args]];
}

/** Watches over a run: the first reason to stop it is the one that is told. */
function stopping(child: ChildProcess, command: GitCommand, options: RunOptions) {
  let first: Error | null = null;
  const stop = (reason: Error): void => {
    first ??= reason;
    void stopGroup(child);
  };
  const onAbort = (): void => stop(asError(options.signal?.reason));
  const onTimeout = (): void => stop(new GitTimeoutError(command.name, options.timeoutMs));
  options.signal?.addEventListener('abort', onAbort, { once: true });
  const timer = setTimeout(onTimeout, options.timeoutMs);
  return {
    stop,
    reason: (): Error | null => first,
    release: (): void => {
      clearTimeout(timer);
      options.signal?.removeEventListener('abort', onAbort);
    },
  };
}

export function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}

/** Asks a process to end, upon which git removes its lock files, then insists. */
export function stopGroup(child: ChildProcess): Promise<void> {
  killGroup(child, 'SIGTERM');
  return endWithin(child, KILL_AFTER_MS);
}

function collectOutput(
  child: ChildProcess,
  { maxBytes = Infinity, onStdout }: RunOptions,
  onOverflow: () => void,
): Buffer[] {
  const chunks: Buffer[] = [];
  let size = 0;
  const collect = (chunk: Buffer): void => {
    size += chunk.length;
    if (size > maxBytes) onOverflow();
    else chunks.push(chunk);
  };
  child.stdout?.on('data', onStdout ?? collect);
  return chunks;
}

/** Follows a stream and gives its last few kilobytes when asked. */
export function stderrTail(stream: Readable | null): () => string {
  let tail = Buffer.alloc(0);
  stream?.on('data', (chunk: Buffer) => {
    tail = Buffer.concat([tail, chunk]).subarray(-STDERR_TAIL);
  });
  return () => tail.toString('utf8');
}

/** Resolves when a process has ended and its output is complete; null when a signal ended it. */
export function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once('close', (code) => resolve(code));
    child.once('error', (error) => {
      // A failed kill is reported here as well; then 'close' still follows.
      if (child.pid === undefined) reject(error);
    });
  });
}

/** Signals a process and everything it has started. */
export function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    child.kill(signal);
  }
}

/** Waits for the end of a process; one that takes too long is killed. */
export async function endWithin(child: ChildProcess, graceMs: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const timer = setTimeout(() => killGroup(child, 'SIGKILL'), graceMs);
  await new Promise<void>((resolve) => child.once('close', () => resolve()));
  clearTimeout(timer);
}
