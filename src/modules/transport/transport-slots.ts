import { Injectable } from '@nestjs/common';
import { ClientDisconnectedError } from '../../platform/errors/index.js';
import {
  FairSlots,
  GIT_CONVERSATIONS,
  type ReleaseSlot,
  type SlotCaller,
  SlotsTakenError,
} from '../../platform/limits/index.js';

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

/** Limits the concurrent fetches and pushes of this process, each of which has a process of git. */
@Injectable()
export class TransportSlots {
  private readonly slots = new FairSlots(GIT_CONVERSATIONS);

  /**
   * Waits for a slot of the caller, and holds it while a fetch or push runs.
   * @param disconnected aborted when the client disconnects
   * @throws SlotsTakenError
   * @throws ClientDisconnectedError
   */
  async hold<T>(caller: SlotCaller, disconnected: AbortSignal, work: () => Promise<T>): Promise<T> {
    const release = await acquireSlot(this.slots, caller, disconnected);
    try {
      return await work();
    } finally {
      release();
    }
  }
}
