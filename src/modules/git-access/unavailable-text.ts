import { type DetailOf, STORE_RETRY_SECONDS } from '../../platform/errors/index.js';

/** What git clients are told while the database, a storage or git is not available, over HTTP and SSH. */
export function unavailableText({
  retryAfterSeconds = STORE_RETRY_SECONDS,
  reason,
}: DetailOf<'unavailable'>): string {
  const cause = reason === undefined ? '' : `: ${reason}`;
  return `The service is unavailable at the moment${cause}. Try again in ${String(retryAfterSeconds)} seconds.`;
}
