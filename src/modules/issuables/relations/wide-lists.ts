import { Injectable } from '@nestjs/common';
import { FairSlots } from '../../../platform/limits/index.js';

/** Lists that go over all projects which a reader sees. Their time depends on how many these are, whatever they find. */
const SLOTS = {
  name: 'wide_lists',
  total: 4,
  perUser: 2,
  perAddress: 2,
  waitMs: 10_000,
  waiting: 256,
};

/** Bounds how many connections of a process read issues and merge requests of all projects at once. */
@Injectable()
export class WideLists {
  private readonly slots = new FairSlots(SLOTS);

  /** @throws SlotsTakenError after ten seconds */
  async read<T>(readerId: number, read: () => Promise<T>): Promise<T> {
    // Turns go round users, wherever they call from.
    const reader = { address: `user ${String(readerId)}`, userId: readerId };
    const release = await this.slots.acquire(reader);
    try {
      return await read();
    } finally {
      release();
    }
  }
}
