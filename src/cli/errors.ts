/** Arguments that cannot be understood, beyond what commander checks. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A command failed for a reason that the operator can mend; the message says how. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}
