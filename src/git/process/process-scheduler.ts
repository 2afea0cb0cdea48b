import { availableParallelism } from 'node:os';

/** The purpose of a git process. */
export type ProcessPurpose =
  /** Answering a request. */
  | 'interactive'
  /** Receiving a push, with everything before its answer. */
  | 'push'
  /** Running jobs. */
  | 'background'
  /** Packing and copying whole repositories, for up to hours. */
  | 'maintenance'
  /** Fetching from other servers, mostly waiting for them. */
  | 'transfer';

/** The client that waits for a git process. */
export interface WorkClient {
  /** The network that its address counts under. */
  readonly network: string;
  /** Null if it is anonymous. */
  readonly userId: number | null;
}

/** Determines the limits that a git process counts against. */
export interface Workload {
  kind: ProcessPurpose;
  /** The path of the repository; empty for commands without one. */
  repository: string;
  /** Absent for work that no client waits for. */
  client?: WorkClient | undefined;
}

/** Git processes of one kind. */
export interface ProcessCounts {
  readonly kind: ProcessPurpose;
  readonly running: number;
  readonly waiting: number;
}

/** Releases the slot. Further calls have no effect. */
export type SlotRelease = () => void;

/**
 * How many processes of each kind may run at once. Kinds do not wait for each other. Reads mostly compute, so their
 * number follows the processors: with more, the service itself would wait for one of these.
 */
const totalsFor = (processors: number): Readonly<Record<ProcessPurpose, number>> => ({
  interactive: Math.min(Math.max(4 * processors, 8), 16),
  push: 6,
  background: 4,
  maintenance: 4,
  transfer: 4,
});

/** The parts of a kind's slots that one repository, one user and one network can take at once: none of them all. */
const SHARES = { repository: 1 / 2, user: 1 / 2, network: 3 / 4 } as const;

/**
 * Added to the niceness of a process: the service itself gets the processor first, then processes that clients
 * wait for. Streams to and from clients are not lowered.
 */
export const NICENESS: Readonly<Record<ProcessPurpose, number>> = {
  interactive: 5,
  push: 7,
  background: 10,
  maintenance: 10,
  transfer: 10,
};

/** A limit on the processes that run at once under one key. */
interface Share {
  key: string;
  limit: number;
}

interface Waiting {
  shares: readonly Share[];
  admit: () => void;
}

/**
 * Decides when a git process may start. A process takes one slot of its kind, one of its repository, and one of the user and
 * the network that wait for it; the anonymous clients of a network count as one user. The next to start is the process for
 * which the fewest others run: of its repository, its user or its network, whichever has the most. Among equals it is the
 * oldest.
 */
export class ProcessScheduler {
  private readonly running = new Map<string, number>();
  /** In order of arrival. */
  private readonly waiting: Waiting[] = [];
  private readonly totals: Readonly<Record<ProcessPurpose, number>>;

  constructor(processors = availableParallelism()) {
    this.totals = totalsFor(processors);
  }

  /**
   * Resolves when the process may start.
   * @throws the reason of the signal when it is aborted before
   */
  async acquire(workload: Workload, signal?: AbortSignal): Promise<SlotRelease> {
    signal?.throwIfAborted();
    const shares = this.sharesOf(workload);
    if (this.fits(shares)) this.take(shares);
    else await this.wait(shares, signal);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.giveBack(shares);
    };
  }

  /** Returns how many processes of each kind run, and how many wait. */
  counts(): ProcessCounts[] {
    const kinds = Object.keys(this.totals) as ProcessPurpose[];
    return kinds.map((kind) => ({
      kind,
      running: this.count(kind),
      waiting: this.waiting.filter(({ shares }) => shares[0]?.key === kind).length,
    }));
  }

  private wait(shares: readonly Share[], signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.waiting.splice(this.waiting.indexOf(waiting), 1);
        reject(signal?.reason as Error);
      };
      const admit = (): void => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      };
      const waiting: Waiting = { shares, admit };
      this.waiting.push(waiting);
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  private giveBack(shares: readonly Share[]): void {
    for (const { key } of shares) {
      const left = this.count(key) - 1;
      if (left === 0) this.running.delete(key);
      else this.running.set(key, left);
    }
    for (let next = this.next(); next !== undefined; next = this.next()) {
      this.waiting.splice(this.waiting.indexOf(next), 1);
      this.take(next.shares);
      next.admit();
    }
  }

  private next(): Waiting | undefined {
    let next: Waiting | undefined;
    let fewest = Infinity;
    for (const waiting of this.waiting) {
      const [, ...own] = waiting.shares.map(({ key }) => this.count(key));
      const most = Math.max(...own);
      if (most >= fewest || !this.fits(waiting.shares)) continue;
      next = waiting;
      fewest = most;
    }
    return next;
  }

  private fits(shares: readonly Share[]): boolean {
    return shares.every(({ key, limit }) => this.count(key) < limit);
  }

  private take(shares: readonly Share[]): void {
    for (const { key } of shares) this.running.set(key, this.count(key) + 1);
  }

  private count(key: string): number {
    return this.running.get(key) ?? 0;
  }

  /** Returns the limits that a process counts against: first that of its kind, which does not order those that wait. */
  private sharesOf({ kind, repository, client }: Workload): readonly Share[] {
    const total = this.totals[kind];
    const part = (whose: keyof typeof SHARES, name: string | number): Share => ({
      key: `${kind} ${whose} ${name}`,
      limit: Math.floor(total * SHARES[whose]),
    });
    const shares = [{ key: kind, limit: total }, part('repository', repository)];
    if (client === undefined) return shares;
    const { network, userId } = client;
    shares.push(part('network', network), part('user', userId ?? `anonymous at ${network}`));
    return shares;
  }
}
