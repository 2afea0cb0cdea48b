import { type DetailOf, DomainError, storeRefusal } from '../../../platform/errors/index.js';
import { gitRefusal } from './git-refusal.js';

/**
 * Returns when to try again what has failed because the database, a storage or git is not available at the moment, and what an
 * operator has to mend. Undefined for other failures.
 */
export function findUnavailability(failure: unknown): DetailOf<'unavailable'> | undefined {
  const refusal =
    failure instanceof DomainError ? failure : (gitRefusal(failure) ?? storeRefusal(failure));
  return refusal?.detail.code === 'unavailable' ? refusal.detail : undefined;
}
