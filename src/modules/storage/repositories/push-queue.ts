/** What a holder of push locks takes of the queue. */
export interface PushClaim {
  readonly projectIds: readonly number[];
  /** The user who waits for it; null where none does. */
  readonly userId: number | null;
}

interface Waiting {
  readonly claim: PushClaim;
  readonly admit: () => void;
}

/** How much of the queue is in use. */
export interface PushQueueCounts {
  readonly running: number;
  readonly waiting: number;
}

/**
 * The queue of a process before the push locks of projects: work that waited for its lock with a database connection would
 * take it from others. Work is admitted with all that it claims, and waits without any: its projects, of which no other work
 * has one, and a place. One user gets half of the places. The next is the work of the user for whom the least runs; among
 * equals, and of one project, it is the oldest.
 */
export class PushQueue {
  private readonly busy = new Set<number>();
  private readonly byUser = new Map<number, number>();
  /** In order of arrival. */
  private readonly waiting: Waiting[] = [];
  private readonly share: number;
  private running = 0;

  constructor(private readonly places: number) {
    this.share = Math.max(1, Math.floor(places / 2));
  }

  get counts(): PushQueueCounts {
    return { running: this.running, waiting: this.waiting.length };
  }

  /** Whether work of the project runs or waits. */
  isClaimed(projectId: number): boolean {
    const waits = ({ claim }: Waiting): boolean => claim.projectIds.includes(projectId);
    return this.busy.has(projectId) || this.waiting.some(waits);
  }

  async run<T>(claim: PushClaim, work: () => Promise<T>): Promise<T> {
    await new Promise<void>((admit) => {
      this.waiting.push({ claim, admit });
      this.admitAll();
    });
    try {
      return await work();
    } finally {
      this.count(claim, -1);
      for (const id of claim.projectIds) this.busy.delete(id);
      this.admitAll();
    }
  }

  private admitAll(): void {
    for (let next = this.next(); next !== undefined; next = this.next()) {
      this.waiting.splice(this.waiting.indexOf(next), 1);
      this.count(next.claim, 1);
      for (const id of next.claim.projectIds) this.busy.add(id);
      next.admit();
    }
  }

  private next(): Waiting | undefined {
    if (this.running >= this.places) return undefined;
    let next: Waiting | undefined;
    let fewest = Infinity;
    const taken = new Set(this.busy);
    for (const waiting of this.waiting) {
      const { projectIds, userId } = waiting.claim;
      const own = this.countOf(userId);
      // Work that could not begin holds up no other in its projects.
      if (own >= this.share || projectIds.some((id) => taken.has(id))) continue;
      for (const id of projectIds) taken.add(id);
      if (own < fewest) [next, fewest] = [waiting, own];
    }
    return next;
  }

  private countOf(userId: number | null): number {
    return userId === null ? 0 : (this.byUser.get(userId) ?? 0);
  }

  private count({ userId }: PushClaim, change: number): void {
    this.running += change;
    if (userId === null) return;
    const count = this.countOf(userId) + change;
    if (count === 0) this.byUser.delete(userId);
    else this.byUser.set(userId, count);
  }
}
