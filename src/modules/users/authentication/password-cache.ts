import { createHmac, randomBytes } from 'node:crypto';
import type { User } from '../user.entity.js';

const LIFETIME_MS = 60_000;
const MAX_ENTRIES = 1_000;

/**
 * Remembers for a minute that a password was right, as an HMAC under a random key of this process. The
 * stored password hash is part of the HMAC, so changing the password invalidates its entry at once.
 */
export class PasswordCache {
  private readonly key = randomBytes(32);
  private readonly expiries = new Map<string, number>();

  has(user: User, password: string): boolean {
    const entry = this.entry(user, password);
    const expiry = this.expiries.get(entry);
    if (expiry === undefined) return false;
    if (expiry > Date.now()) return true;
    this.expiries.delete(entry);
    return false;
  }

  add(user: User, password: string): void {
    const oldest = this.expiries.keys().next();
    if (this.expiries.size >= MAX_ENTRIES && !oldest.done) this.expiries.delete(oldest.value);
    this.expiries.set(this.entry(user, password), Date.now() + LIFETIME_MS);
  }

  private entry(user: User, password: string): string {
    return createHmac('sha256', this.key)
      .update(JSON.stringify([user.id, user.passwordHash, password]))
      .digest('base64');
  }
}
