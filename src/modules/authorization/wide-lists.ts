import { Injectable } from '@nestjs/common';
import { FairSlots, type SlotCaller } from '../../platform/limits/index.js';
import { COUNTED_ITEMS, type PageRequest, windowOf } from '../../platform/pagination/index.js';

/**
 * Lists whose time does not depend on what they find: those that go over all projects which a reader sees, searches of
 * long texts, and filters that no index serves.
 */
const SLOTS = {
  name: 'wide_lists',
  total: 4,
  perUser: 2,
  perAddress: 2,
  reserved: { slots: 1, perAddress: 1 },
  anonymous: 2,
  waitMs: 10_000,
  waiting: 256,
};

/** A list of one project or group. */
interface NarrowList {
  readonly request: PageRequest;
  /** Whether it has filters that no index serves. */
  readonly isFiltered: boolean;
}

/** Bounds how many connections of a process such lists take at once. */
@Injectable()
export class WideLists {
  private readonly slots = new FairSlots(SLOTS);

  /** @throws SlotsTakenError after ten seconds */
  async read<T>({ userId, address }: Partial<SlotCaller>, read: () => Promise<T>): Promise<T> {
    // Turns go round users, wherever they call from, and addresses of anonymous readers.
    const reader = typeof userId === 'number' ? `user ${String(userId)}` : (address ?? '');
    const release = await this.slots.acquire({ address: reader, userId });
    try {
      return await read();
    } finally {
      release();
    }
  }

  /**
   * Reads a list that costs little unless it is filtered, or its page lies far behind. Users read it at once: they are known.
   * Anonymous readers take a slot for such pages.
   * @throws SlotsTakenError after ten seconds
   */
  async readNarrow<T>(
    client: Partial<SlotCaller>,
    { request, isFiltered }: NarrowList,
    read: () => Promise<T>,
  ): Promise<T> {
    const isCostly = isFiltered || windowOf(request).offset >= COUNTED_ITEMS;
    return typeof client.userId === 'number' || !isCostly ? read() : this.read(client, read);
  }
}
