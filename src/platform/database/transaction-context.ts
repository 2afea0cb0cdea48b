import type { EntityManager } from 'typeorm';
import { CallContext } from '../async/index.js';

/**
 * The transaction that the current chain of calls runs in, if any; undefined for work outside the one
 * that is under way. Kept apart from `UnitOfWork` so that repositories find it without being handed a
 * parameter that could be forgotten.
 */
export const transactionContext = new CallContext<EntityManager | undefined>();
