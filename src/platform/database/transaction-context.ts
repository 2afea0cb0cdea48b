import { AsyncLocalStorage } from 'node:async_hooks';
import type { EntityManager } from 'typeorm';

/**
 * The transaction that the current chain of calls runs in, if any. Kept apart from `UnitOfWork` so
 * that repositories find it without being handed a parameter that somebody could forget.
 */
export const transactionContext = new AsyncLocalStorage<EntityManager | undefined>();
