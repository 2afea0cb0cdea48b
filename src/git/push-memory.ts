import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';

const WATCH_MS = 50;
/** git needs memory for each object it takes in: this many bytes for each byte of the pack are its due. */
const DUE_PER_BYTE = 4;
const RSS = /^RssAnon:\s+(\d+) kB$/m;
const KIB = 1024;

export interface WatchedPush {
  /** The `receive-pack`, or the `clone` of an import; what takes the memory are the processes it starts. */
  child: ChildProcess;
  /** Bytes that have arrived. */
  received: () => number;
  /** Called once, before the processes below `child` are killed. */
  onExceeded: () => void;
}

interface Usage {
  push: WatchedPush;
  pids: number[];
  /** Bytes beyond what the size of the pack explains. */
  excess: number;
}

/**
 * Bounds the memory that git takes to unpack pushes and imports. A pack of a few kilobytes can hold objects of
 * gigabytes, which git unpacks before anybody can judge them: when all pushes of the process together
 * take more than the budget, the one with the largest excess is stopped. Works where the system has
 * `/proc`.
 */
export class PushMemory {
  private readonly pushes = new Set<WatchedPush>();
  private timer: NodeJS.Timeout | undefined;

  /** @param budget bytes */
  constructor(private readonly budget: number) {}

  /** Returns the function that ends the watch. */
  watch(push: WatchedPush): () => void {
    this.pushes.add(push);
    this.timer ??= setInterval(() => this.look(), WATCH_MS).unref();
    return () => {
      this.pushes.delete(push);
      if (this.pushes.size > 0) return;
      clearInterval(this.timer);
      this.timer = undefined;
    };
  }

  private look(): void {
    const usages = [...this.pushes].map(usageOf).sort((a, b) => b.excess - a.excess);
    const sum = usages.reduce((bytes, { excess }) => bytes + excess, 0);
    const [largest] = usages;
    if (sum <= this.budget || largest === undefined) return;
    this.pushes.delete(largest.push);
    largest.push.onExceeded();
    // The child itself stays: it reports the failure and removes what it has taken in.
    for (const pid of largest.pids) kill(pid);
  }
}

function usageOf(push: WatchedPush): Usage {
  const pids = descendants(push.child.pid);
  const used = pids.reduce((bytes, pid) => bytes + memoryOf(pid), 0);
  return { push, pids, excess: Math.max(0, used - push.received() * DUE_PER_BYTE) };
}

function descendants(pid: number | undefined): number[] {
  if (pid === undefined) return [];
  const text = read(`/proc/${String(pid)}/task/${String(pid)}/children`);
  const children = text.split(' ').filter(Boolean).map(Number);
  return children.flatMap((child) => [child, ...descendants(child)]);
}

function memoryOf(pid: number): number {
  return Number(RSS.exec(read(`/proc/${String(pid)}/status`))?.[1] ?? 0) * KIB;
}

/** Empty for a process that has ended. */
function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
