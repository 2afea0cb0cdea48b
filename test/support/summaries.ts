import { createHash } from 'node:crypto';
import type { Person } from './factories.js';
import type { Trellis } from './trellis.js';

/** A user as others see them wherever one is embedded (specification 2.1). */
export function summaryOf({ url }: Trellis, { user }: Person): object {
  const hash = createHash('md5').update(user.email).digest('hex');
  return {
    id: user.id,
    name: user.name,
    username: user.username,
    state: 'active',
    avatar_url: `https://secure.gravatar.com/avatar/${hash}?s=80&d=identicon`,
    web_url: `${url}/${user.username}`,
  };
}

/** A member as lists and single answers show one (open points 3.5). */
export function memberOf(
  trellis: Trellis,
  person: Person,
  accessLevel: number,
  expiresAt: string | null = null,
): object {
  return { ...summaryOf(trellis, person), access_level: accessLevel, expires_at: expiresAt };
}

/** A day in UTC, as many days from today. */
export function dayFromNow(days: number): string {
  return new Date(Date.now() + days * 24 * 60 * 60 * 1000).toISOString().slice(0, 10);
}
