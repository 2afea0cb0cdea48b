import type { ChildProcess } from 'node:child_process';
import { killProcess, stopGroup } from './launcher.js';
import { descendantsOf, memoryOf } from './process-memory.js';
import { SharedState } from './runtime.js';

const WATCH_MS = 50;
/** git needs memory for each object of a pack. This many bytes for each byte of the pack are not counted. */
const DUE_PER_BYTE = 4;

interface WatchedGit {
  /** The `receive-pack` of a push, the `clone` of an import, or the `upload-pack` of a fetch. */
  child: ChildProcess;
  /** Returns the bytes that have arrived. */
  received: () => number;
  /** Whether its child processes do not count: those of a fetch are bounded by their number. */
  isAlone?: boolean;
  /** Called once, before processes are stopped. */
  onExceeded: () => void;
}

interface Usage {
  watched: WatchedGit;
  pids: number[];
  /** Whether git itself has most of the memory, and not its child processes. */
  isOwn: boolean;
  /** Used bytes beyond those that are expected for the size of the pack. */
  excess: number;
}

/**
 * Limits the memory that git uses to unpack pushes and imports, and to read what clients send. A pack of a few
 * kilobytes can contain objects of gigabytes, which git unpacks before they can be checked. When all of them together
 * exceed the budget, the one with the largest excess is stopped. Has no effect on systems without `/proc`.
 */
class GitMemory {
  private readonly watched = new Set<WatchedGit>();
  private timer: NodeJS.Timeout | undefined;

  /** @param budget bytes */
  constructor(private readonly budget: number) {}

  /** Starts to watch a git process. Returns the function that ends the watch. */
  watch(git: WatchedGit): () => void {
    this.watched.add(git);
    this.timer ??= setInterval(() => this.check(), WATCH_MS).unref();
    return () => {
      this.watched.delete(git);
      if (this.watched.size > 0) return;
      clearInterval(this.timer);
      this.timer = undefined;
    };
  }

  private check(): void {
    const usages = [...this.watched].map(usageOf).sort((a, b) => b.excess - a.excess);
    const sum = usages.reduce((bytes, { excess }) => bytes + excess, 0);
    const [largest] = usages;
    if (sum <= this.budget || largest === undefined) return;
    this.watched.delete(largest.watched);
    largest.watched.onExceeded();
    // Git itself reports the failure and removes the received objects, as far as it does not have the memory.
    for (const pid of largest.pids) killProcess(pid);
    if (largest.isOwn) void stopGroup(largest.watched.child);
  }
}

export const GIT_MEMORY = new SharedState(({ pushMemoryBytes }) => new GitMemory(pushMemoryBytes));

function usageOf(watched: WatchedGit): Usage {
  const { pid } = watched.child;
  const pids = pid === undefined || watched.isAlone === true ? [] : descendantsOf(pid);
  const used = pids.reduce((bytes, child) => bytes + memoryOf(child), 0);
  const own = pid === undefined ? 0 : memoryOf(pid);
  const excess = Math.max(0, used + own - watched.received() * DUE_PER_BYTE);
  return { watched, pids, isOwn: own > used, excess };
}
