import { setTimeout as delay } from 'node:timers/promises';
import { createHash } from 'node:crypto';
import type { Person } from './factories.js';
import type { Trellis } from './trellis.js';

/** A user as others see them wherever one is embedded (docs/reference/users.md#the-user-summary). */
export function summaryOf({ url }: Trellis, { user }: Person) {
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

/** What an account answers about itself that was told nothing of it and has not signed in. */
export const PLAIN_ACCOUNT = {
  is_admin: false,
  bio: null,
  location: null,
  messenger: null,
  professional_profile: null,
  microblog: null,
  website_url: null,
  organization: null,
  last_sign_in_at: null,
  current_sign_in_at: null,
  theme_id: 2,
  color_scheme_id: 1,
  projects_limit: 10,
  identities: [],
  can_create_group: true,
  can_create_project: true,
  two_factor_enabled: false,
  external: false,
};

/** A member as lists and single answers show one (docs/reference/members.md#the-member-object). */
export function memberOf(
  trellis: Trellis,
  person: Person,
  accessLevel: number,
  expiresAt: string | null = null,
): object {
  return { ...summaryOf(trellis, person), access_level: accessLevel, expires_at: expiresAt };
}

const DAY_MS = 24 * 60 * 60 * 1000;
const LONGEST_TEST_MS = 30_000;

/** A day in UTC, as many days from today. */
export function dayFromNow(days: number): string {
  return new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);
}

/** Resolves when a test that needs today's date can run before the day ends in UTC: at once, or after midnight. */
export async function untilMidnightIsFar(): Promise<void> {
  const restOfDayMs = DAY_MS - (Date.now() % DAY_MS);
  // A timer may end a moment early by the clock on the wall.
  if (restOfDayMs < LONGEST_TEST_MS) await delay(restOfDayMs + 100);
}
