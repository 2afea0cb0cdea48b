/** What a job occupies slots of: a receiver's host and a hook, or a user. */
type SlotKeys = readonly [string, ...string[]];

interface Slot {
  release(): void;
}

/** The slots of one key. */
interface Usage {
  /** The occupied slots, with the time when each job began, the oldest first. */
  readonly occupied: Set<{ readonly since: number }>;
  /** Wake the jobs that wait for a slot. */
  readonly waiting: Set<() => void>;
  /** Moving average of the time for which jobs occupy a slot. */
  averageMs: number;
  /** When the last of the postponed jobs is due. */
  postponedUntil: number;
}

/** A job that has taken this long is not waited for. */
const SLOW_MS = 250;
const WAIT_MS = 100;
const SHORTEST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 5 * 60_000;
/** Weight of the latest job in the average. */
const WEIGHT = 0.2;
const MAX_USAGES = 10_000;

/**
 * Bounds how many jobs with one key a process runs at once, so that a receiver that does not respond, or a user with many
 * imports, occupies only a share of the worker's slots. See docs/decisions/0027-deliveries.md.
 */
export class JobSlots {
  private readonly usages = new Map<string, Usage>();

  /** @param share concurrent jobs per key */
  constructor(private readonly share: number) {}

  /**
   * Takes a slot of every key, or returns the milliseconds to postpone the job for. Waits briefly when all slots of a key are
   * occupied, but not by jobs that take long.
   */
  async acquire(keys: SlotKeys): Promise<Slot | number> {
    const deadline = performance.now() + WAIT_MS;
    for (;;) {
      const full = keys.map((key) => this.usage(key)).find((usage) => this.isFull(usage));
      if (full === undefined) return this.occupy(keys);
      const leftMs = deadline - performance.now();
      if (leftMs <= 0 || isStalled(full)) return this.postpone(full);
      await nextRelease(full, leftMs);
    }
  }

  private isFull({ occupied }: Usage): boolean {
    return occupied.size >= this.share;
  }

  private occupy(keys: SlotKeys): Slot {
    const usages = keys.map((key) => this.usage(key));
    const entry = { since: performance.now() };
    for (const usage of usages) usage.occupied.add(entry);
    const release = () => {
      const ms = performance.now() - entry.since;
      for (const usage of usages) {
        usage.occupied.delete(entry);
        usage.averageMs += WEIGHT * (ms - usage.averageMs);
        for (const wake of usage.waiting) wake();
      }
    };
    return { release };
  }

  // Each postponed job is due later than the one before: they return one by one, and ten thousand of them cost no more than
  // can be done in that time.
  private postpone(usage: Usage): number {
    const now = performance.now();
    const [oldest] = usage.occupied;
    const durationMs = Math.max(usage.averageMs, oldest === undefined ? 0 : now - oldest.since);
    usage.postponedUntil = Math.max(usage.postponedUntil, now) + durationMs / this.share;
    const delayMs = usage.postponedUntil - now;
    // Beyond the longest delay the count starts again, so that jobs are spread over it.
    if (delayMs > LONGEST_DELAY_MS) usage.postponedUntil = now;
    return Math.min(Math.max(delayMs, SHORTEST_DELAY_MS), LONGEST_DELAY_MS);
  }

  private usage(key: string): Usage {
    const existing = this.usages.get(key);
    if (existing !== undefined) return existing;
    if (this.usages.size >= MAX_USAGES) this.deleteIdle();
    const usage: Usage = {
      occupied: new Set(),
      waiting: new Set(),
      averageMs: 0,
      postponedUntil: 0,
    };
    this.usages.set(key, usage);
    return usage;
  }

  private deleteIdle(): void {
    for (const [key, { occupied, waiting }] of this.usages) {
      if (occupied.size === 0 && waiting.size === 0) this.usages.delete(key);
    }
  }
}

function isStalled({ occupied }: Usage): boolean {
  const [oldest] = occupied;
  return oldest !== undefined && performance.now() - oldest.since > SLOW_MS;
}

/** Resolves when a slot is released, or after `ms`. */
function nextRelease({ waiting }: Usage, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      clearTimeout(timer);
      waiting.delete(wake);
      resolve();
    };
    const timer = setTimeout(wake, ms);
    waiting.add(wake);
  });
}
