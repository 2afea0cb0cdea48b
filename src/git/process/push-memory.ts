import type { ChildProcess } from 'node:child_process';
import { descendantsOf, memoryOf } from './process-memory.js';
import { SharedState } from './runtime.js';

const WATCH_MS = 50;
/** git needs memory for each object of a pack. This many bytes for each byte of the pack are not counted. */
const DUE_PER_BYTE = 4;

interface WatchedPush {
  /** The `receive-pack` of a push or the `clone` of an import. Its child processes use the memory. */
  child: ChildProcess;
  /** Returns the bytes that have arrived. */
  received: () => number;
  /** Called once, before the child processes of `child` are killed. */
  onExceeded: () => void;
}

interface Usage {
  push: WatchedPush;
  pids: number[];
  /** Used bytes beyond those that are expected for the size of the pack. */
  excess: number;
}

/**
 * Limits the memory that git uses to unpack pushes and imports. A pack of a few kilobytes can contain objects
 * of gigabytes, which git unpacks before they can be checked. When all pushes of the process together exceed
 * the budget, the push with the largest excess is stopped. Has no effect on systems without `/proc`.
 */
class PushMemory {
  private readonly pushes = new Set<WatchedPush>();
  private timer: NodeJS.Timeout | undefined;

  /** @param budget bytes */
  constructor(private readonly budget: number) {}

  /** Starts to watch a push. Returns the function that ends the watch. */
  watch(push: WatchedPush): () => void {
    this.pushes.add(push);
    this.timer ??= setInterval(() => this.check(), WATCH_MS).unref();
    return () => {
      this.pushes.delete(push);
      if (this.pushes.size > 0) return;
      clearInterval(this.timer);
      this.timer = undefined;
    };
  }

  private check(): void {
    const usages = [...this.pushes].map(usageOf).sort((a, b) => b.excess - a.excess);
    const sum = usages.reduce((bytes, { excess }) => bytes + excess, 0);
    const [largest] = usages;
    if (sum <= this.budget || largest === undefined) return;
    this.pushes.delete(largest.push);
    largest.push.onExceeded();
    // The child itself is not killed: it reports the failure and removes the received objects.
    for (const pid of largest.pids) kill(pid);
  }
}

export const PUSH_MEMORY = new SharedState(
  ({ pushMemoryBytes }) => new PushMemory(pushMemoryBytes),
);

function usageOf(push: WatchedPush): Usage {
  const { pid } = push.child;
  const pids = pid === undefined ? [] : descendantsOf(pid);
  const used = pids.reduce((bytes, pid) => bytes + memoryOf(pid), 0);
  return { push, pids, excess: Math.max(0, used - push.received() * DUE_PER_BYTE) };
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has ended already.
  }
}
