/** Waits for the lock of the process that replaces an unreadable host key (docs/lock-order.md). */
export const LOCK_HOST_KEY_REPLACEMENT = 'SELECT pg_advisory_xact_lock(7265006)';
