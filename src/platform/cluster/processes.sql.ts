/** After so long without a sign, a process without a lease has ended. */
export const EXPIRY = `interval '2 minutes'`;
