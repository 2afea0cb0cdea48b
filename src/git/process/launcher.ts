import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';
import { Readable } from 'node:stream';
import {
  GitClosedError,
  GitProcessError,
  GitProtocolError,
  GitTimeoutError,
} from '../model/errors.js';
import type { GitCommand } from './command-table.js';
import { type GitObserver, NO_OBSERVER } from './observer.js';
import {
  NICENESS,
  type ProcessCounts,
  ProcessScheduler,
  type SlotRelease,
  type ProcessPurpose,
  type Workload,
} from './process-scheduler.js';

const STDERR_TAIL = 8192;
const KILL_AFTER_MS = 5000;
/** How long a killed process is waited for. */
const ABANDON_AFTER_MS = 5000;
/** The least exit code of git that is a failure: smaller ones are answers, such as that a merge has conflicts. */
const FATAL = 128;
/** How long `close` waits for a spared process. */
const SPARED_MS = 60_000;

export interface CommandOptions {
  /** Decides when the command may start. */
  workload: Workload;
  timeoutMs: number;
  /** More output than this makes the run fail; bytes. */
  maxBytes?: number;
  /** Exit codes that are not failures; by default 0 alone. */
  exitCodes?: readonly number[];
  environment?: Record<string, string>;
  signal?: AbortSignal | undefined;
  /** A file to which git's process group is appended before git begins; without the file, git does not begin. */
  groupFile?: string;
  /** The standard input of git; by default empty. */
  input?: string | Buffer;
  /** Called with the process when it was started. */
  onStart?: (child: ChildProcess) => void;
  /** Called with the output, which is then not collected. */
  onStdout?: (chunk: Buffer) => void;
  /** Called with the error output. */
  onStderr?: (chunk: Buffer) => void;
  /** Called with what git writes to file descriptor 3. */
  onThird?: (chunk: Buffer) => void;
}

export interface RunResult {
  exitCode: number;
  stdout: Buffer;
}

interface StartOptions {
  readonly stdio: StdioOptions;
  readonly environment: Record<string, string>;
  readonly groupFile?: string | undefined;
  readonly isLongLived: boolean;
}

/** Starts all git processes. */
export class Launcher {
  private readonly children = new Set<ChildProcess>();
  private readonly spared = new WeakSet<ChildProcess>();
  private closed = false;
  private readonly scheduler = new ProcessScheduler();
  /** Processes started since `Git.open`. */
  spawnCount = 0;

  constructor(
    private readonly executable: string,
    private readonly environment: Record<string, string>,
    private readonly folder: string,
    readonly observer: GitObserver = NO_OBSERVER,
  ) {}

  /** Starts git at once, in its own process group, which Ctrl-C in a terminal does not reach. */
  spawn(
    command: GitCommand,
    stdio: StdioOptions,
    environment: Record<string, string> = {},
    groupFile?: string,
  ): ChildProcess {
    return this.start(command, { stdio, environment, groupFile, isLongLived: false });
  }

  /** The same for a process that answers requests on its standard input until it is ended. */
  spawnLongLived(command: GitCommand): ChildProcess {
    const stdio: StdioOptions = ['pipe', 'pipe', 'pipe'];
    return this.start(command, { stdio, environment: {}, isLongLived: true });
  }

  private start(
    command: GitCommand,
    { stdio, environment, groupFile, isLongLived }: StartOptions,
  ): ChildProcess {
    if (this.closed) throw new GitClosedError();
    this.spawnCount += 1;
    const [program = '', ...args] = programOf(this.executable, command, groupFile);
    const child = spawn(program, args, {
      cwd: this.folder,
      env: { ...this.environment, ...environment },
      stdio,
      detached: true,
    });
    const observeEnd = this.observer.started(command.name, isLongLived);
    this.children.add(child);
    child.once('close', (exitCode) => {
      this.children.delete(child);
      const hasFailed = exitCode === null || exitCode >= FATAL;
      observeEnd(hasFailed ? new GitProcessError(command.name, exitCode, '') : undefined);
    });
    child.once('error', (error) => {
      if (child.pid !== undefined) return;
      this.children.delete(child);
      observeEnd(error);
    });
    return child;
  }

  processCounts(): ProcessCounts[] {
    return this.scheduler.counts();
  }

  /** How many processes run, those for clients and long-lived ones included. */
  get runningCount(): number {
    return this.children.size;
  }

  /**
   * Waits until the scheduler admits some work.
   * @throws the reason of the signal when it is aborted before
   */
  async admit(workload: Workload, signal?: AbortSignal): Promise<SlotRelease> {
    const asked = performance.now();
    const release = await this.scheduler.acquire(workload, signal);
    this.observer.admitted(workload.kind, performance.now() - asked);
    return release;
  }

  /** Waits until the scheduler admits a command, runs it and collects its output. */
  async run(command: GitCommand, options: CommandOptions): Promise<RunResult> {
    const release = await this.admit(options.workload, options.signal);
    try {
      return await this.collect(command, options);
    } finally {
      release();
    }
  }

  private async collect(command: GitCommand, options: CommandOptions): Promise<RunResult> {
    options.signal?.throwIfAborted();
    const { environment, groupFile, input, onStderr, onThird } = options;
    const stdin = input === undefined ? 'ignore' : 'pipe';
    const stdio: StdioOptions = [stdin, 'pipe', 'pipe', ...(onThird ? ['pipe' as const] : [])];
    const child = this.spawn(command, stdio, environment, groupFile);
    lowerPriority(child, options.workload.kind);
    options.onStart?.(child);
    const tail = stderrTail(child.stderr);
    if (onStderr) child.stderr?.on('data', onStderr);
    if (onThird) (child.stdio[3] as Readable).on('data', onThird);
    // git may end before it has read all input. The exit code shows whether that is a failure.
    child.stdin?.on('error', () => undefined).end(input);
    const stopped = stopping(child, command, options);
    const tooMuch = (): void =>
      stopped.stop(new GitProtocolError(`git ${command.name} answered more than expected`));
    const output = collectOutput(child, options, tooMuch);
    try {
      const exitCode = await Promise.race([exitOf(child), stopped.abandoned]);
      const reason = stopped.reason();
      if (reason) throw reason;
      if (exitCode === null || !(options.exitCodes ?? [0]).includes(exitCode)) {
        throw new GitProcessError(command.name, exitCode, tail(), child.signalCode);
      }
      return { exitCode, stdout: Buffer.concat(output) };
    } finally {
      stopped.release();
    }
  }

  /** Makes `close` wait for a process instead of stopping it. */
  spare(child: ChildProcess): void {
    this.spared.add(child);
  }

  /** Stops the running processes and waits for their end. */
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
 * Lowers the priority of a process that `spawn` has started, by its kind of work, so that the service itself runs
 * first. Not for long-lived processes, which serve all kinds of work.
 */
export function lowerPriority({ pid }: ChildProcess, kind: ProcessPurpose): void {
  if (pid === undefined) return;
  const niceness = Math.min(getPriority() + NICENESS[kind], constants.priority.PRIORITY_LOW);
  try {
    setPriority(pid, niceness);
    // Where Linux schedules sessions as groups, and no cgroup does, the niceness applies within a session only.
    writeFileSync(`/proc/${String(pid)}/autogroup`, String(niceness));
  } catch {
    // The process has ended already, or the kernel has no such groups.
  }
}

/** Node cannot limit the memory of a child process; the shell does, and then replaces itself by git. */
const WITHIN_MEMORY = 'ulimit -d "$1"; shift; exec "$@"';
/** The shell is the first of its group, and so is git, which takes its place. Node might be killed before it wrote. */
const NAMED_IN_FILE = '[ -f "$1" ] && echo "$$" >> "$1" && shift && exec "$@"';

function programOf(
  executable: string,
  { args, memoryKib }: GitCommand,
  groupFile: string | undefined,
): string[] {
  const run = [executable, ...args];
  if (groupFile !== undefined) return ['/bin/sh', '-c', NAMED_IN_FILE, 'sh', groupFile, ...run];
  if (memoryKib === undefined) return run;
  return ['/bin/sh', '-c', WITHIN_MEMORY, 'sh', String(memoryKib), ...run];
}

/**
 * Stops a run after its time limit, by its signal, or by `stop`. `reason` returns the first of them. `abandoned` fails with it
 * when the process has not ended then: one that waits for a file system which hangs cannot be killed.
 */
function stopping(child: ChildProcess, command: GitCommand, options: CommandOptions) {
  let first: Error | null = null;
  let abandon: NodeJS.Timeout | undefined;
  let fail: (reason: Error) => void = () => undefined;
  const abandoned = new Promise<never>((_, reject) => {
    fail = reject;
  });
  const stop = (reason: Error): void => {
    first ??= reason;
    void stopGroup(child);
    abandon ??= setTimeout(() => fail(reason), KILL_AFTER_MS + ABANDON_AFTER_MS);
  };
  const onAbort = (): void => stop(asError(options.signal?.reason));
  const onTimeout = (): void => stop(new GitTimeoutError(command.name, options.timeoutMs));
  options.signal?.addEventListener('abort', onAbort, { once: true });
  const timer = setTimeout(onTimeout, options.timeoutMs);
  return {
    stop,
    abandoned,
    reason: (): Error | null => first,
    release: (): void => {
      clearTimeout(timer);
      clearTimeout(abandon);
      options.signal?.removeEventListener('abort', onAbort);
    },
  };
}

export function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}

/** Sends SIGTERM, upon which git removes its lock files, and SIGKILL after five seconds. */
export function stopGroup(child: ChildProcess): Promise<void> {
  killGroup(child, 'SIGTERM');
  return endWithin(child, KILL_AFTER_MS);
}

function collectOutput(
  child: ChildProcess,
  { maxBytes = Infinity, onStdout }: CommandOptions,
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

/** Returns a function that returns the last few kilobytes of a stream. */
export function stderrTail(stream: Readable | null): () => string {
  let tail = Buffer.alloc(0);
  stream?.on('data', (chunk: Buffer) => {
    tail = Buffer.concat([tail, chunk]).subarray(-STDERR_TAIL);
  });
  return () => tail.toString('utf8');
}

/** Resolves with the exit code when a process has ended and its output is complete; null after a signal. */
export function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once('close', (code) => resolve(code));
    child.once('error', (error) => {
      // A failed kill is reported here as well; 'close' follows then.
      if (child.pid === undefined) reject(error);
    });
  });
}

/** Kills a single process, if it has not ended. */
export function killProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has ended already.
  }
}

/** Sends a signal to a process and its descendants. */
function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    child.kill(signal);
  }
}

/** Waits for the end of a process, and kills it after the grace period. */
export async function endWithin(child: ChildProcess, graceMs: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const timer = setTimeout(() => killGroup(child, 'SIGKILL'), graceMs);
  await new Promise<void>((resolve) => child.once('close', () => resolve()));
  clearTimeout(timer);
}

/**
 * Returns the output of a process as a stream, which fails when the process fails. The process is killed when
 * the stream is destroyed, or not read for `idleMs`.
 * @throws GitProcessError in the stream
 */
export function outputOf(child: ChildProcess, command: string, idleMs: number): Readable {
  const tail = stderrTail(child.stderr);
  const ended = exitOf(child);
  // Awaited after the output; a process that did not start has none.
  ended.catch(() => undefined);
  async function* chunks(): AsyncGenerator<Buffer> {
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
      yield chunk;
      idle.touch();
    }
    const code = await ended;
    if (code !== 0) throw new GitProcessError(command, code, tail(), child.signalCode);
  }
  const output = Readable.from(chunks(), { objectMode: false });
  const idle = new IdleLimit(idleMs, () => output.destroy(new GitTimeoutError(command, idleMs)));
  output.once('close', () => {
    idle.stop();
    killGroup(child, 'SIGKILL');
  });
  return output;
}

/** Calls back once when `touch` has not been called for some time. */
export class IdleLimit {
  private readonly timer: NodeJS.Timeout;

  constructor(limitMs: number, onIdle: () => void) {
    this.timer = setTimeout(onIdle, limitMs).unref();
  }

  readonly touch = (): void => {
    this.timer.refresh();
  };

  stop(): void {
    clearTimeout(this.timer);
  }
}
