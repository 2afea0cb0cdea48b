/** What a delivery takes its share of: the receiver's host and the hook. */
export type PlaceKeys = readonly [string, ...string[]];

interface Usage {
  /** When each delivery under way began, the oldest first. */
  readonly began: Set<{ readonly at: number }>;
  /** Wakes those who wait for a place. */
  readonly waiting: Set<() => void>;
  averageMs: number;
  /** Where the line ends of those that were sent away. */
  lineEndsAt: number;
}

export interface Place {
  leave(): void;
}

/** A host that has not answered for this long is not waited for. */
const SLOW_MS = 250;
const WAIT_MS = 100;
const SHORTEST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 5 * 60_000;
/** How much the latest delivery counts in the average. */
const WEIGHT = 0.2;
const REMEMBERED = 10_000;

/**
 * Bounds how many deliveries to one host and to one hook a process has under way, so that a receiver
 * which does not answer takes only its share of the places and the rest goes to all others.
 */
export class DeliveryPlaces {
  private readonly usages = new Map<string, Usage>();

  /** @param share deliveries with the same key that may be under way at once */
  constructor(private readonly share: number) {}

  /**
   * A place, or the milliseconds after which asking again makes sense. Where places become free all the
   * time it waits for one, briefly; where they do not, it answers at once.
   */
  async take(keys: PlaceKeys): Promise<Place | number> {
    const patience = performance.now() + WAIT_MS;
    for (;;) {
      const full = keys.map((key) => this.usage(key)).find((usage) => this.isFull(usage));
      if (full === undefined) return this.enter(keys);
      const left = patience - performance.now();
      if (left <= 0 || isStalled(full)) return this.sendAway(full);
      await nextLeft(full, left);
    }
  }

  private isFull({ began }: Usage): boolean {
    return began.size >= this.share;
  }

  private enter(keys: PlaceKeys): Place {
    const usages = keys.map((key) => this.usage(key));
    const entry = { at: performance.now() };
    for (const usage of usages) usage.began.add(entry);
    const leave = () => {
      const ms = performance.now() - entry.at;
      for (const usage of usages) {
        usage.began.delete(entry);
        usage.averageMs += WEIGHT * (ms - usage.averageMs);
        for (const wake of usage.waiting) wake();
      }
    };
    return { leave };
  }

  // Each one that is sent away is given a later moment than the one before: they come back one by one,
  // and ten thousand of them cost no more than the receiver can take.
  private sendAway(usage: Usage): number {
    const now = performance.now();
    const [oldest] = usage.began;
    const lasts = Math.max(usage.averageMs, oldest === undefined ? 0 : now - oldest.at);
    usage.lineEndsAt = Math.max(usage.lineEndsAt, now) + lasts / this.share;
    const inLine = usage.lineEndsAt - now;
    // A longer line begins anew, so that it is spread over the longest delay.
    if (inLine > LONGEST_DELAY_MS) usage.lineEndsAt = now;
    return Math.min(Math.max(inLine, SHORTEST_DELAY_MS), LONGEST_DELAY_MS);
  }

  private usage(key: string): Usage {
    const known = this.usages.get(key);
    if (known !== undefined) return known;
    if (this.usages.size >= REMEMBERED) this.forgetIdle();
    const usage = { began: new Set(), waiting: new Set(), averageMs: 0, lineEndsAt: 0 } as Usage;
    this.usages.set(key, usage);
    return usage;
  }

  private forgetIdle(): void {
    for (const [key, { began, waiting }] of this.usages) {
      if (began.size === 0 && waiting.size === 0) this.usages.delete(key);
    }
  }
}

function isStalled({ began }: Usage): boolean {
  const [oldest] = began;
  return oldest !== undefined && performance.now() - oldest.at > SLOW_MS;
}

function nextLeft({ waiting }: Usage, ms: number): Promise<void> {
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
