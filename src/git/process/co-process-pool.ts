import { GitBusyError, GitClosedError, GitProcessError } from '../model/errors.js';
import { CoProcess, type Reply, RequestDroppedError } from './co-process.js';
import type { GitCommand } from './command-table.js';
import { asError, type Launcher } from './launcher.js';

const GRACE_MS = 2000;
/** Between looks at the memory of co-processes in use: git reads some 50 MiB in that time. */
const LOOK_MS = 100;

export interface PoolLimits {
  /** The most co-processes at once, including those that are ending. */
  maxProcesses: number;
  /** How long a co-process may be without a request before it is ended. */
  idleMs: number;
  /** The most memory that one co-process may keep; bytes. A larger one is ended after its pending requests. */
  memoryBytes: number;
  /** The same for all together, of which the largest are ended. */
  totalMemoryBytes: number;
  /** How long a request may take, and how long it may wait for a process. */
  requestTimeoutMs: number;
}

export interface PoolRequest<T> {
  /** The identity of the repository, different for successive repositories at one path. */
  owner: string;
  command: GitCommand;
  input: string | Buffer;
  reply: () => Reply<T>;
  /** Whether it is asked of a process that works on nothing else, since its answer may take long. */
  isAlone?: boolean;
  /** How long it may take, in milliseconds; by default as long as `PoolLimits` say. */
  timeoutMs?: number;
  /** Whether the request is idempotent. If so, it is retried once after a crash, and whenever it is dropped. */
  repeatable: boolean;
}

interface Entry {
  owner: string;
  process: CoProcess;
  idleTimer: NodeJS.Timeout | null;
}

/**
 * Keeps long-lived git processes, and ends the least recently used first, and those that have become large: git keeps commits and
 * trees that it parses. There is one per repository and command, and as many as needed for requests that do not share one.
 */
export class CoProcessPool {
  /** The least recently used first. */
  private readonly entries = new Map<string, Entry>();
  private readonly ending = new Set<Promise<void>>();
  private readonly waiting = new Set<() => void>();
  private closed = false;
  private look: NodeJS.Timeout | undefined;

  constructor(
    private readonly launcher: Launcher,
    private readonly limits: PoolLimits,
  ) {}

  async request<T>(request: PoolRequest<T>): Promise<T> {
    const observeEnd = this.launcher.observer.asked(request.command.name);
    if (observeEnd === undefined) return this.attemptTwice(request);
    try {
      const answer = await this.attemptTwice(request);
      observeEnd();
      return answer;
    } catch (error) {
      observeEnd(asError(error));
      throw error;
    }
  }

  private async attemptTwice<T>(request: PoolRequest<T>): Promise<T> {
    try {
      return await this.attempt(request);
    } catch (error) {
      if (!request.repeatable || !(error instanceof GitProcessError) || this.closed) throw error;
      if (error.isExhausted) throw error;
      return this.attempt(request);
    }
  }

  /** Ends the processes whose owner matches, after their pending requests. */
  async evict(matches: (owner: string) => boolean): Promise<void> {
    const own = [...this.entries].filter(([, entry]) => matches(entry.owner));
    await Promise.all(own.map(([key, entry]) => this.retire(key, entry)));
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.look);
    this.wake();
    await this.evict(() => true);
    await Promise.all(this.ending);
  }

  get size(): number {
    return this.entries.size + this.ending.size;
  }

  private async attempt<T>(request: PoolRequest<T>): Promise<T> {
    const deadline = Date.now() + this.limits.requestTimeoutMs;
    for (;;) {
      const entry = this.obtain(request);
      if (entry === null) {
        await this.nextChange(deadline);
        continue;
      }
      const { input, reply, repeatable, timeoutMs = this.limits.requestTimeoutMs } = request;
      try {
        // In the same tick, so that an idle process cannot be retired in between.
        return await entry.process.request(input, reply(), timeoutMs);
      } catch (error) {
        if (!(error instanceof RequestDroppedError) || Date.now() > deadline) throw error;
        if (error.mayBeDone && !repeatable) throw error;
      }
    }
  }

  /** Returns null when the pool is full of busy or ending processes. */
  private obtain<T>(request: PoolRequest<T>): Entry | null {
    if (this.closed) throw new GitClosedError();
    const { owner, command } = request;
    const key = this.keyOf(request);
    const known = this.entries.get(key);
    if (known?.process.alive) {
      this.touch(key, known);
      return known;
    }
    if (known) void this.retire(key, known);
    if (this.size < this.limits.maxProcesses) return this.start(key, owner, command);
    this.retireLeastUsed();
    return null;
  }

  private keyOf<T>({ owner, command, isAlone = false }: PoolRequest<T>): string {
    const shared = `${command.args.join('\0')}\0${owner}`;
    if (!isAlone) return shared;
    const isBusy = (key: string): boolean => this.entries.get(key)?.process.idle === false;
    let index = 0;
    while (isBusy(`${index} ${shared}`)) index += 1;
    return `${index} ${shared}`;
  }

  private touch(key: string, entry: Entry): void {
    this.entries.delete(key);
    this.entries.set(key, entry);
    if (entry.idleTimer) clearTimeout(entry.idleTimer);
    entry.idleTimer = null;
    this.lookSoon();
  }

  /** Ends large processes soon after they were used. */
  private lookSoon(): void {
    this.look ??= setTimeout(() => {
      this.look = undefined;
      this.endLarge();
    }, LOOK_MS).unref();
  }

  private endLarge(): void {
    const uses = [...this.entries].map(([key, entry]) => ({
      key,
      entry,
      memory: entry.process.memory,
    }));
    let total = uses.reduce((bytes, { memory }) => bytes + memory, 0);
    const { memoryBytes, totalMemoryBytes } = this.limits;
    for (const { key, entry, memory } of uses.sort((a, b) => b.memory - a.memory)) {
      if (memory <= memoryBytes && total <= totalMemoryBytes) break;
      void this.retire(key, entry);
      total -= memory;
    }
    if (uses.some(({ entry }) => !entry.process.idle)) this.lookSoon();
  }

  private start(key: string, owner: string, command: GitCommand): Entry {
    const child = this.launcher.spawnLongLived(command);
    const events = {
      onIdle: () => this.settle(key, entry),
      onEnd: () => this.forget(key, entry),
    };
    const entry: Entry = {
      owner,
      idleTimer: null,
      process: new CoProcess(child, command.name, events),
    };
    this.entries.set(key, entry);
    this.lookSoon();
    return entry;
  }

  private settle(key: string, entry: Entry): void {
    entry.idleTimer = setTimeout(() => void this.retire(key, entry), this.limits.idleMs);
    entry.idleTimer.unref();
    this.wake();
  }

  private forget(key: string, entry: Entry): void {
    if (entry.idleTimer) clearTimeout(entry.idleTimer);
    if (this.entries.get(key) === entry) this.entries.delete(key);
    this.wake();
  }

  private retireLeastUsed(): void {
    // Processes that are ending will suffice for all waiting requests.
    if (this.ending.size >= this.waiting.size + 1) return;
    for (const [key, entry] of this.entries) {
      if (!entry.process.idle) continue;
      void this.retire(key, entry);
      return;
    }
  }

  private async retire(key: string, entry: Entry): Promise<void> {
    if (this.entries.get(key) !== entry) return;
    this.entries.delete(key);
    const grace = entry.process.idle ? GRACE_MS : this.limits.requestTimeoutMs + GRACE_MS;
    const ended = entry.process.retire(grace);
    this.ending.add(ended);
    await ended;
    this.ending.delete(ended);
    this.wake();
  }

  private wake(): void {
    for (const resolve of this.waiting) resolve();
    this.waiting.clear();
  }

  private async nextChange(deadline: number): Promise<void> {
    const left = deadline - Date.now();
    if (left <= 0) throw new GitBusyError('All git processes stayed busy');
    await new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.waiting.delete(done);
        resolve();
      };
      const timer = setTimeout(done, left);
      this.waiting.add(done);
    });
  }
}
