import { clientNetwork } from './client-network.js';

/** Who asks for a slot. */
export interface SlotCaller {
  /** IP address. */
  readonly address: string;
  /** Absent or null is anonymous. */
  readonly userId?: number | null | undefined;
}

export interface SlotLimits {
  /** Slots of the process. */
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
   * @param isCallers whether the caller's own requests hold the slots, rather than everybody's
   * @param retryAfterSeconds whole seconds, at least one
   */
  constructor(
    readonly isCallers: boolean,
    readonly retryAfterSeconds: number,
  ) {
    super(isCallers ? 'The caller holds all slots it may have' : 'All slots are taken');
  }
}

interface Waiter {
  readonly keys: CallerKeys;
  readonly enter: () => void;
}

interface CallerKeys {
  readonly address: string;
  readonly user: number | undefined;
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

  /**
   * Takes a slot without waiting.
   * @throws SlotsTakenError
   */
  take(caller: SlotCaller): ReleaseSlot {
    const keys = keysOf(caller);
    if (!this.isFree(keys)) throw this.refusal(keys);
    return this.hold(keys);
  }

  /**
   * Takes a slot, and waits for one if need be.
   * @param gone aborted when the caller does not want it any more
   * @throws SlotsTakenError when it takes too long or too many wait already; the signal's reason
   */
  async acquire(caller: SlotCaller, gone?: AbortSignal): Promise<ReleaseSlot> {
    gone?.throwIfAborted();
    const keys = keysOf(caller);
    if (this.isFree(keys)) return this.hold(keys);
    if (this.mayWait(keys)) return this.wait(keys, gone);
    throw this.refusal(keys);
  }

  private wait(keys: CallerKeys, gone: AbortSignal | undefined): Promise<ReleaseSlot> {
    return new Promise<ReleaseSlot>((resolve, reject) => {
      const leave = (reason: Error): void => {
        settle();
        this.waiters.splice(this.waiters.indexOf(waiter), 1);
        reject(reason);
      };
      const abandon = (): void => leave(asError(gone?.reason));
      const timer = setTimeout(() => leave(this.refusal(keys)), this.limits.waitMs);
      const settle = (): void => {
        clearTimeout(timer);
        gone?.removeEventListener('abort', abandon);
      };
      const waiter = {
        keys,
        enter: () => {
          settle();
          resolve(this.hold(keys));
        },
      };
      gone?.addEventListener('abort', abandon, { once: true });
      this.waiters.push(waiter);
    });
  }

  private hold(keys: CallerKeys): ReleaseSlot {
    this.count(keys, 1);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.count(keys, -1);
      this.admitNext();
    };
  }

  private admitNext(): void {
    let next: Waiter | undefined;
    for (const waiter of this.waiters) {
      if (!this.isFree(waiter.keys)) continue;
      if (next === undefined || this.ofAddress(waiter) < this.ofAddress(next)) next = waiter;
    }
    if (next === undefined) return;
    this.waiters.splice(this.waiters.indexOf(next), 1);
    next.enter();
  }

  private count({ address, user }: CallerKeys, change: 1 | -1): void {
    this.held += change;
    add(this.byAddress, address, change);
    if (user !== undefined) add(this.byUser, user, change);
  }

  private isFree(keys: CallerKeys): boolean {
    return this.held < this.limits.total && !this.hasItsShare(keys);
  }

  private hasItsShare({ address, user }: CallerKeys): boolean {
    const { perAddress, perUser } = this.limits;
    if ((this.byAddress.get(address) ?? 0) >= perAddress) return true;
    return user !== undefined && (this.byUser.get(user) ?? 0) >= perUser;
  }

  private mayWait({ address }: CallerKeys): boolean {
    const { waiting, waitMs } = this.limits;
    if (waitMs <= 0 || this.waiters.length >= waiting) return false;
    const same = this.waiters.filter(({ keys }) => keys.address === address);
    return same.length < Math.ceil(waiting / 4);
  }

  private ofAddress({ keys }: Waiter): number {
    return this.byAddress.get(keys.address) ?? 0;
  }

  private refusal(keys: CallerKeys): SlotsTakenError {
    const seconds = Math.max(1, Math.ceil(this.limits.waitMs / 1000));
    return new SlotsTakenError(this.hasItsShare(keys), seconds);
  }
}

function keysOf({ address, userId }: SlotCaller): CallerKeys {
  return { address: clientNetwork(address), user: userId ?? undefined };
}

function add<K>(counts: Map<K, number>, key: K, change: 1 | -1): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('Aborted');
}
