const MOST_CHARACTERS = 2_000;
/** Backslashes count as slashes in browsers, which drop control characters. */
const REFUSED = /[\\\p{Cc}]/u;
const ANY_ORIGIN = 'http://localhost';

/**
 * Returns where a browser goes after signing in: a path of this service, never another site.
 * @param given what the address or form said
 */
export function returnPath(given: string | undefined): string {
  if (given === undefined || given.length > MOST_CHARACTERS || REFUSED.test(given)) return '/';
  if (!given.startsWith('/') || !URL.canParse(given, ANY_ORIGIN)) return '/';
  const { origin, pathname, search, hash } = new URL(given, ANY_ORIGIN);
  // Two slashes begin the name of a host; without the dots of `/.//host`, they are at the beginning.
  return origin === ANY_ORIGIN && !pathname.startsWith('//') ? pathname + search + hash : '/';
}
