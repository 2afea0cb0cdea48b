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
  /** The last of the slots, which only addresses that hold few may take: what others hold for long leaves room for them. */
  readonly reserved?: { readonly slots: number; readonly perAddress: number };
  /** What all anonymous callers hold together at most: a client may have many addresses, but not many accounts. */
  readonly anonymous?: number;
  /** How long `acquire` waits for a slot, in milliseconds. */
  readonly waitMs: number;
  /** Most callers that wait at once; one address gets a quarter of it. */
  readonly waiting: number;
}

/** Limits of one address that are narrower at present. */
type AddressLimits = Partial<Pick<SlotLimits, 'perAddress' | 'waitMs'>>;

const NOT_NARROWER: AddressLimits = {};

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
  /** Refuses the caller when its address's wait is over, else waits for the rest of it. */
  readonly review: () => void;
}

/**
 * Slots for expensive work of a process, shared by the addresses that compete for them: while slots are free, an address
 * may take as many as its limits allow. A slot that becomes free goes to the waiting address that holds the fewest, of several
 * to the one whose turn it is, and there to the user that holds the fewest. So a client with many requests delays its own
 * requests and not those of others.
 */
export class FairSlots {
  private readonly byAddress = new Map<string, number>();
  private readonly byUser = new Map<number, number>();
  /** The callers that wait, by address; the addresses in the order of their turns. */
  private readonly lines = new Map<string, Waiter[]>();
  private held = 0;
  private heldAnonymously = 0;

  /** @param limitsOf returns the narrower limits of an address, by `clientNetwork` */
  constructor(
    private readonly limits: SlotLimits,
    private readonly limitsOf: (address: string) => AddressLimits = () => NOT_NARROWER,
  ) {}

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

  /** Refuses those that have waited for too long by limits that have become narrower. */
  reviewWaits(): void {
    for (const waiter of [...this.lines.values()].flat()) waiter.review();
  }

  private wait(claim: Claim, gone: AbortSignal | undefined): Promise<ReleaseSlot> {
    return new Promise<ReleaseSlot>((resolve, reject) => {
      const since = performance.now();
      let timer: NodeJS.Timeout | undefined;
      const settle = (): void => {
        clearTimeout(timer);
        gone?.removeEventListener('abort', abandon);
        this.leaveLine(waiter);
      };
      const leave = (reason: Error): void => {
        settle();
        reject(reason);
      };
      const abandon = (): void => leave(asError(gone?.reason));
      const review = (): void => {
        clearTimeout(timer);
        const leftMs = since + this.waitMs(claim) - performance.now();
        if (leftMs <= 0) leave(this.refusal(claim));
        else timer = setTimeout(review, leftMs);
      };
      const enter = (): void => {
        settle();
        resolve(this.hold(claim));
      };
      const waiter = { claim, enter, review };
      const line = this.lines.get(claim.address);
      if (line === undefined) this.lines.set(claim.address, [waiter]);
      else line.push(waiter);
      gone?.addEventListener('abort', abandon, { once: true });
      review();
    });
  }

  private leaveLine(waiter: Waiter): void {
    const { address } = waiter.claim;
    const line = this.lines.get(address) ?? [];
    line.splice(line.indexOf(waiter), 1);
    if (line.length === 0) this.lines.delete(address);
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
    const first = this.firstInTurn();
    if (first === undefined) return false;
    first.enter();
    const { address } = first.claim;
    const line = this.lines.get(address);
    if (line !== undefined) {
      // Its next turn comes after those of all others.
      this.lines.delete(address);
      this.lines.set(address, line);
    }
    return true;
  }

  private firstInTurn(): Waiter | undefined {
    let first: Waiter | undefined;
    let fewest = Infinity;
    for (const [address, line] of this.lines) {
      const held = this.byAddress.get(address) ?? 0;
      const waiter = held < fewest ? this.firstOf(line) : undefined;
      if (waiter === undefined) continue;
      [first, fewest] = [waiter, held];
    }
    return first;
  }

  /** The first in a line whose claim fits, of the user that holds the fewest slots. */
  private firstOf(line: readonly Waiter[]): Waiter | undefined {
    let first: Waiter | undefined;
    let fewest = Infinity;
    for (const waiter of line) {
      const held = this.ofUser(waiter.claim);
      if (held >= fewest || !this.isFree(waiter.claim)) continue;
      [first, fewest] = [waiter, held];
    }
    return first;
  }

  private count({ address, user }: Claim, change: number): void {
    this.held += change;
    add(this.byAddress, address, change);
    if (user === undefined) this.heldAnonymously += change;
    else add(this.byUser, user, change);
  }

  private isFree(claim: Claim): boolean {
    const { total, reserved, anonymous = total } = this.limits;
    const left = total - this.held - claim.size;
    if (left < 0 || this.exceedsShare(claim)) return false;
    if (claim.user === undefined && this.heldAnonymously + claim.size > anonymous) return false;
    return reserved === undefined || left >= reserved.slots || this.isFew(claim, reserved);
  }

  private isFew({ address, size }: Claim, reserved: { perAddress: number }): boolean {
    return (this.byAddress.get(address) ?? 0) + size <= reserved.perAddress;
  }

  private exceedsShare(claim: Claim): boolean {
    const { address, size } = claim;
    const { perAddress = this.limits.perAddress } = this.limitsOf(address);
    if ((this.byAddress.get(address) ?? 0) + size > perAddress) return true;
    return this.ofUser(claim) + size > this.limits.perUser;
  }

  private ofUser({ user }: Claim): number {
    return user === undefined ? 0 : (this.byUser.get(user) ?? 0);
  }

  private mayWait(claim: Claim): boolean {
    const { waiting } = this.limits;
    if (this.waitMs(claim) <= 0) return false;
    let all = 0;
    for (const { length } of this.lines.values()) all += length;
    const same = this.lines.get(claim.address)?.length ?? 0;
    return all < waiting && same < Math.ceil(waiting / 4);
  }

  private waitMs({ address }: Claim): number {
    return this.limitsOf(address).waitMs ?? this.limits.waitMs;
  }

  private refusal(claim: Claim): SlotsTakenError {
    exceededBudgets.inc({ budget: this.limits.name });
    const seconds = Math.max(1, Math.ceil(this.waitMs(claim) / 1000));
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
