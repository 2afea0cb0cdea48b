import { AsyncLocalStorage } from 'node:async_hooks';
import type { EntityManager } from 'typeorm';

/**
 * The transaction that the current chain of calls runs in, if any. Kept apart from `UnitOfWork` so
 * that repositories find it without being handed a parameter that somebody could forget.
 *
 * A storage that is in use has Node follow every promise of the process. Most requests only read and
 * need none of it, so it rests while no unit of work is under way.
 */
class TransactionContext {
  private readonly storage = new AsyncLocalStorage<EntityManager | undefined>();
  private underWay = 0;

  getStore(): EntityManager | undefined {
    return this.storage.getStore();
  }

  /** @param manager undefined for work outside the transaction that is under way */
  async run<T>(manager: EntityManager | undefined, work: () => Promise<T>): Promise<T> {
    this.underWay += 1;
    try {
      return await this.storage.run(manager, work);
    } finally {
      this.underWay -= 1;
      if (this.underWay === 0) this.storage.disable();
    }
  }
}

export const transactionContext = new TransactionContext();
