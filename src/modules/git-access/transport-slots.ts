import { Injectable } from '@nestjs/common';
import type { PackSlot } from '../../git/index.js';
import { LRUCache } from 'lru-cache';
import { Config } from '../../platform/config/index.js';
import { ClientDisconnectedError } from '../../platform/errors/index.js';
import {
  type AccessRecheck,
  clientNetwork,
  FairSlots,
  GIT_CONVERSATIONS,
  GIT_PREPARATION_MS,
  preparedFetches,
  type ReleaseSlot,
  type SlotCaller,
  SlotsTakenError,
} from '../../platform/limits/index.js';
import { gitFetches } from '../../platform/metrics/index.js';

/** Addresses whose last refusal is remembered. */
const MAX_REFUSED = 1_000;

/**
 * Waits for a slot.
 * @param disconnected aborted when the client disconnects
 * @throws SlotsTakenError
 * @throws ClientDisconnectedError
 */
export async function acquireSlot(
  slots: FairSlots,
  caller: SlotCaller,
  disconnected: AbortSignal,
): Promise<ReleaseSlot> {
  try {
    return await slots.acquire(caller, disconnected);
  } catch (error) {
    throw error instanceof SlotsTakenError ? error : new ClientDisconnectedError();
  }
}

/** More clones and fetches are asked for than can be served. */
export class TooManyFetchesError extends Error {
  override readonly name = 'TooManyFetchesError';

  /** @param retryAfterSeconds whole seconds */
  constructor(readonly retryAfterSeconds: number) {
    super(
      `Too many clones and fetches are under way. Try again in ${String(retryAfterSeconds)} seconds.`,
    );
  }
}

/** The slot of a fetch for putting its pack together. */
class PreparationSlot implements PackSlot {
  private release: ReleaseSlot | null = null;
  private timer: NodeJS.Timeout | undefined;
  private readonly ended = new AbortController();

  /** @param acquire waits for a slot, until the fetch has ended */
  constructor(private readonly acquire: (ended: AbortSignal) => Promise<ReleaseSlot>) {}

  get isTaken(): boolean {
    return this.release !== null;
  }

  /**
   * @throws TooManyFetchesError
   * @throws ClientDisconnectedError when the conversation has ended, too
   * @throws the refusal of the access
   */
  async take(): Promise<void> {
    if (this.isTaken) return;
    gitFetches.inc({ state: 'waiting' });
    let release: ReleaseSlot;
    try {
      release = await this.acquire(this.ended.signal);
    } finally {
      gitFetches.dec({ state: 'waiting' });
    }
    gitFetches.inc({ state: 'preparing' });
    this.release = release;
    this.timer = setTimeout(() => this.giveBack(), GIT_PREPARATION_MS);
    if (this.ended.signal.aborted) this.giveBack();
  }

  giveBack(): void {
    if (this.release === null) return;
    clearTimeout(this.timer);
    gitFetches.dec({ state: 'preparing' });
    this.release();
    this.release = null;
  }

  /** Waits no longer, and gives back a slot that was assigned meanwhile, too. */
  end(): void {
    this.ended.abort();
    this.giveBack();
  }
}

/**
 * Limits the concurrent fetches and pushes of this process, each of which has a process of git, and those of the fetches for
 * which git puts a pack together, which takes a processor each. See docs/decisions/0067-clones.md.
 */
@Injectable()
export class TransportSlots {
  private readonly conversations = new FairSlots(GIT_CONVERSATIONS);
  /** Of the fetches whose packs are put together. */
  readonly preparationLimits: ReturnType<typeof preparedFetches>;
  private readonly preparations: FairSlots;
  /** Until when an address that was refused is not to come again; in `performance.now()`, by `clientNetwork`. */
  private readonly refusedUntil = new LRUCache<string, number>({ max: MAX_REFUSED });

  constructor({ gitFetchesPrepared }: Config) {
    this.preparationLimits = preparedFetches(gitFetchesPrepared);
    this.preparations = new FairSlots(this.preparationLimits);
  }

  /**
   * Refuses a fetch at its first request, of which git shows the answer, while others of its address that came before have
   * been refused and the caller would have to wait.
   * @throws TooManyFetchesError
   */
  assertFetchesAreServed(caller: SlotCaller): void {
    const until = this.refusedUntil.get(clientNetwork(caller.address)) ?? 0;
    const leftMs = until - performance.now();
    if (leftMs <= 0 || this.preparations.isFreeFor(caller)) return;
    throw new TooManyFetchesError(Math.ceil(leftMs / 1000));
  }

  /**
   * As `hold`, for a fetch.
   * @param access checked again after each wait
   * @param work is given the slot for putting the pack together, which it takes
   * @throws TooManyFetchesError
   * @throws ClientDisconnectedError
   * @throws the refusal of the access
   */
  async holdForFetch<T>(
    caller: SlotCaller,
    disconnected: AbortSignal,
    access: AccessRecheck,
    work: (slot: PackSlot) => Promise<T>,
  ): Promise<T> {
    const release = await access.afterWait(
      this.admitFetch(caller, disconnected, this.conversations),
    );
    const slot = new PreparationSlot((ended) =>
      access.afterWait(
        this.admitFetch(caller, AbortSignal.any([disconnected, ended]), this.preparations),
      ),
    );
    try {
      return await work(slot);
    } finally {
      slot.end();
      release();
    }
  }

  private async admitFetch(
    caller: SlotCaller,
    disconnected: AbortSignal,
    slots: FairSlots,
  ): Promise<ReleaseSlot> {
    try {
      return await acquireSlot(slots, caller, disconnected);
    } catch (error) {
      if (!(error instanceof SlotsTakenError)) throw error;
      const { isCallers, retryAfterSeconds } = error;
      if (!isCallers || slots === this.preparations) {
        const until = performance.now() + retryAfterSeconds * 1000;
        this.refusedUntil.set(clientNetwork(caller.address), until);
      }
      throw new TooManyFetchesError(retryAfterSeconds);
    }
  }

  /**
   * Waits for a slot of the caller, and holds it while a push runs.
   * @param disconnected aborted when the client disconnects
   * @throws SlotsTakenError
   * @throws ClientDisconnectedError
   */
  async hold<T>(caller: SlotCaller, disconnected: AbortSignal, work: () => Promise<T>): Promise<T> {
    const release = await acquireSlot(this.conversations, caller, disconnected);
    try {
      return await work();
    } finally {
      release();
    }
  }
}
