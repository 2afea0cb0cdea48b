import { exceededBudgets } from '../metrics/index.js';
import { clientNetwork } from './client-network.js';

/** The caller that a slot is taken for. */
export interface SlotCaller {
  /** IP address. */
  readonly address: string;
  /** Absent or null for anonymous callers. */
  readonly userId?: number | null | undefined;
}

interface SlotLimits {
  /** In metrics. */
  readonly name: string;
  /** Slots of the process, or another unit of which a caller may take several at once. */
  readonly total: number;
  readonly perUser: number;
  /** By `clientNetwork`; whole offices share an address, so it is more than `perUser`. */
  readonly perAddress: number;
  /** How long `acquire` waits for a slot, in milliseconds. */
  readonly waitMs: number;
  /** Most callers that wait at once; one address gets a quarter of it. */
  readonly waiting: number;
}

/** Gives the slot back; calling it again does nothing. */
export type ReleaseSlot = () => void;

/** No slot became free: all are taken, or as many as one caller may have. */
export class SlotsTakenError extends Error {
  override readonly name = 'SlotsTakenError';

  /**
   * @param isCallers whether the caller's own requests hold the slots, rather than those of others
   * @param retryAfterSeconds whole seconds, at least one
   */
  constructor(
    readonly isCallers: boolean,
    readonly retryAfterSeconds: number,
  ) {
    super(isCallers ? 'The caller holds all slots it may have' : 'All slots are taken');
  }
}

/** A request for slots. */
interface Claim {
  readonly address: string;
  readonly user: number | undefined;
  /** How many slots. */
  readonly size: number;
}

interface Waiter {
  readonly claim: Claim;
  readonly enter: () => void;
}

/**
 * Slots for expensive work of a process, of which one user and one address get a part only. A slot
 * that becomes free goes to the waiting caller whose address holds the fewest, so that one client
 * with many requests delays its own requests and not those of others.
 */
export class FairSlots {
  private readonly byAddress = new Map<string, number>();
  private readonly byUser = new Map<number, number>();
  private readonly waiters: Waiter[] = [];
  private held = 0;

  constructor(private readonly limits: SlotLimits) {}

  /** The slots that are taken now. */
  get taken(): number {
    return this.held;
  }

  /** Returns whether a caller could take a slot without waiting. */
  isFreeFor(caller: SlotCaller): boolean {
    return this.isFree(claimOf(caller, 1));
  }

  /**
   * Takes slots without waiting.
   * @throws SlotsTakenError
   */
  take(caller: SlotCaller, size = 1): ReleaseSlot {
    const claim = claimOf(caller, size);
    if (!this.isFree(claim)) throw this.refusal(claim);
    return this.hold(claim);
  }

  /** As `take`; returns undefined instead of throwing. */
  tryTake(caller: SlotCaller, size = 1): ReleaseSlot | undefined {
    const claim = claimOf(caller, size);
    return this.isFree(claim) ? this.hold(claim) : undefined;
  }

  /**
   * Takes slots; waits for them if they are not free.
   * @param gone aborted when the caller has disconnected
   * @throws SlotsTakenError when it takes too long or too many wait already; the reason of `gone`
   */
  async acquire(caller: SlotCaller, gone?: AbortSignal, size = 1): Promise<ReleaseSlot> {
    gone?.throwIfAborted();
    const claim = claimOf(caller, size);
    if (this.isFree(claim)) return this.hold(claim);
    if (this.mayWait(claim)) return this.wait(claim, gone);
    throw this.refusal(claim);
  }

  private wait(claim: Claim, gone: AbortSignal | undefined): Promise<ReleaseSlot> {
    return new Promise<ReleaseSlot>((resolve, reject) => {
      const leave = (reason: Error): void => {
        settle();
        this.waiters.splice(this.waiters.indexOf(waiter), 1);
        reject(reason);
      };
      const abandon = (): void => leave(asError(gone?.reason));
      const timer = setTimeout(() => leave(this.refusal(claim)), this.limits.waitMs);
      const settle = (): void => {
        clearTimeout(timer);
        gone?.removeEventListener('abort', abandon);
      };
      const waiter = {
        claim,
        enter: () => {
          settle();
          resolve(this.hold(claim));
        },
      };
      gone?.addEventListener('abort', abandon, { once: true });
      this.waiters.push(waiter);
    });
  }

  private hold(claim: Claim): ReleaseSlot {
    this.count(claim, claim.size);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.count(claim, -claim.size);
      while (this.admitNext());
    };
  }

  /** Admits the next waiter whose claim fits. @returns whether there was one */
  private admitNext(): boolean {
    let next: Waiter | undefined;
    for (const waiter of this.waiters) {
      if (!this.isFree(waiter.claim)) continue;
      if (next === undefined || this.ofAddress(waiter) < this.ofAddress(next)) next = waiter;
    }
    if (next === undefined) return false;
    this.waiters.splice(this.waiters.indexOf(next), 1);
    next.enter();
    return true;
  }

  private count({ address, user }: Claim, change: number): void {
    this.held += change;
    add(this.byAddress, address, change);
    if (user !== undefined) add(this.byUser, user, change);
  }

  private isFree(claim: Claim): boolean {
    return this.held + claim.size <= this.limits.total && !this.exceedsShare(claim);
  }

  private exceedsShare({ address, user, size }: Claim): boolean {
    const { perAddress, perUser } = this.limits;
    if ((this.byAddress.get(address) ?? 0) + size > perAddress) return true;
    return user !== undefined && (this.byUser.get(user) ?? 0) + size > perUser;
  }

  private mayWait({ address }: Claim): boolean {
    const { waiting, waitMs } = this.limits;
    if (waitMs <= 0 || this.waiters.length >= waiting) return false;
    const same = this.waiters.filter(({ claim }) => claim.address === address);
    return same.length < Math.ceil(waiting / 4);
  }

  private ofAddress({ claim }: Waiter): number {
    return this.byAddress.get(claim.address) ?? 0;
  }

  private refusal(claim: Claim): SlotsTakenError {
    exceededBudgets.inc({ budget: this.limits.name });
    const seconds = Math.max(1, Math.ceil(this.limits.waitMs / 1000));
    return new SlotsTakenError(this.exceedsShare(claim), seconds);
  }
}

function claimOf({ address, userId }: SlotCaller, size: number): Claim {
  return { address: clientNetwork(address), user: userId ?? undefined, size };
}

function add<K>(counts: Map<K, number>, key: K, change: number): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('Aborted');
}
