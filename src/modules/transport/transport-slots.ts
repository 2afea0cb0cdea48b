import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/index.js';
import { ClientDisconnectedError } from '../../platform/errors/index.js';
import {
  FairSlots,
  GIT_CONVERSATIONS,
  GIT_PREPARATION_MS,
  preparedFetches,
  type ReleaseSlot,
  type SlotCaller,
  SlotsTakenError,
} from '../../platform/limits/index.js';
import { gitFetches } from '../../platform/metrics/index.js';

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

/**
 * Limits the concurrent fetches and pushes of this process, each of which has a process of git, and those of the fetches for
 * which git puts a pack together, which takes a processor each. See docs/decisions/0067-clones.md.
 */
@Injectable()
export class TransportSlots {
  private readonly conversations = new FairSlots(GIT_CONVERSATIONS);
  private readonly preparations: FairSlots;
  private readonly maxPreparations: number;
  /** In `performance.now()`: until then, those that were refused are not to come again. */
  private refusesUntil = 0;

  constructor({ gitFetchesPrepared }: Config) {
    this.maxPreparations = gitFetchesPrepared;
    this.preparations = new FairSlots(preparedFetches(gitFetchesPrepared));
  }

  /**
   * Refuses a fetch at its first request, of which git shows the answer, while others that came before have been refused.
   * @throws TooManyFetchesError
   */
  assertFetchesAreServed(): void {
    const leftMs = this.refusesUntil - performance.now();
    if (leftMs <= 0 || this.preparations.taken < this.maxPreparations) return;
    throw new TooManyFetchesError(Math.ceil(leftMs / 1000));
  }

  /**
   * As `hold`, for a fetch: waits until git may put its pack together, too.
   * @param work is given a function to be called when git begins to send the pack
   * @throws TooManyFetchesError
   * @throws ClientDisconnectedError
   */
  async holdForFetch<T>(
    caller: SlotCaller,
    disconnected: AbortSignal,
    work: (onPackBegins: () => void) => Promise<T>,
  ): Promise<T> {
    const release = await this.admitFetch(caller, disconnected, this.conversations);
    try {
      const prepared = await this.prepareFetch(caller, disconnected);
      try {
        return await work(prepared);
      } finally {
        prepared();
      }
    } finally {
      release();
    }
  }

  private async prepareFetch(caller: SlotCaller, disconnected: AbortSignal): Promise<ReleaseSlot> {
    gitFetches.inc({ state: 'waiting' });
    let release: ReleaseSlot;
    try {
      release = await this.admitFetch(caller, disconnected, this.preparations);
    } finally {
      gitFetches.dec({ state: 'waiting' });
    }
    gitFetches.inc({ state: 'preparing' });
    let isHeld = true;
    const prepared = (): void => {
      if (!isHeld) return;
      isHeld = false;
      clearTimeout(timer);
      gitFetches.dec({ state: 'preparing' });
      release();
    };
    const timer = setTimeout(prepared, GIT_PREPARATION_MS);
    return prepared;
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
      if (!isCallers) this.refusesUntil = performance.now() + retryAfterSeconds * 1000;
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
