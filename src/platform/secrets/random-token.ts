import { randomBytes } from 'node:crypto';

const BYTES = 15;

/**
 * A fresh token of 20 characters of `[A-Za-z0-9_-]`, 120 bits of randomness
 * (docs/reference/authentication.md#private-tokens).
 */
export function randomToken(): string {
  return randomBytes(BYTES).toString('base64url');
}
