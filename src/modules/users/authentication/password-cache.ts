import { createHmac, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { User } from '../model/user.entity.js';

const LIFETIME_MS = 60_000;
const MAX_ENTRIES = 1_000;

/**
 * Remembers for a minute that a password was right, as an HMAC under a random key of this process. The
 * stored password hash is part of the HMAC, so changing the password invalidates its entry at once.
 */
export class PasswordCache {
  private readonly key = randomBytes(32);
  private readonly entries = new LRUCache<string, true>({ max: MAX_ENTRIES, ttl: LIFETIME_MS });

  has(user: User, password: string): boolean {
    return this.entries.has(this.entry(user, password));
  }

  add(user: User, password: string): void {
    this.entries.set(this.entry(user, password), true);
  }

  private entry(user: User, password: string): string {
    return createHmac('sha256', this.key)
      .update(JSON.stringify([user.id, user.passwordHash, password]))
      .digest('base64');
  }
}
