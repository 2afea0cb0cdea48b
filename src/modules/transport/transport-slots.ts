import { Injectable } from '@nestjs/common';
import { FairSlots, GIT_CONVERSATIONS, type SlotCaller } from '../../platform/limits/index.js';

/** The fetches and pushes of this process, each of which has a process of git. */
@Injectable()
export class TransportSlots {
  private readonly slots = new FairSlots(GIT_CONVERSATIONS);

  /**
   * Holds a conversation when a slot is free for its client.
   * @param gone aborted when the client goes away
   * @throws SlotsTakenError
   */
  async hold<T>(caller: SlotCaller, gone: AbortSignal, conversation: () => Promise<T>): Promise<T> {
    const release = await this.slots.acquire(caller, gone);
    try {
      return await conversation();
    } finally {
      release();
    }
  }
}
