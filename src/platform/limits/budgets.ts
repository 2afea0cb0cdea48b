/** Bytes in a mebibyte. */
export const MIB = 1024 * 1024;

// Budgets: the most that one request, push, text or client may cost. Each has its default here, an
// environment variable where operators need one, and a line in docs/operations.md.
