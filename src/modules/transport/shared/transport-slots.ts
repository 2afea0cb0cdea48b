import { Injectable } from '@nestjs/common';
import { FairSlots, GIT_CONVERSATIONS, type SlotCaller } from '../../../platform/limits/index.js';

/** Limits the concurrent fetches and pushes of this process, each of which has a process of git. */
@Injectable()
export class TransportSlots {
  private readonly slots = new FairSlots(GIT_CONVERSATIONS);

  /**
   * Waits for a slot of the caller, and holds it while a fetch or push runs.
   * @param disconnected aborted when the client disconnects
   * @throws SlotsTakenError
   */
  async hold<T>(caller: SlotCaller, disconnected: AbortSignal, work: () => Promise<T>): Promise<T> {
    const release = await this.slots.acquire(caller, disconnected);
    try {
      return await work();
    } finally {
      release();
    }
  }
}
