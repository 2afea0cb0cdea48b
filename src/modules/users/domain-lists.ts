import type { ApplicationSettings } from '../settings/index.js';

type DomainLists = Pick<
  ApplicationSettings,
  'domainWhitelist' | 'domainBlacklistEnabled' | 'domainBlacklist'
>;

/**
 * Why the settings' domain lists do not take an address for a new account, undefined when they do. A
 * whitelist that is not empty decides alone (open points 09).
 */
export function domainRefusal(email: string, settings: DomainLists): string | undefined {
  const domain = email.slice(email.lastIndexOf('@') + 1);
  const isListed = (patterns: readonly string[]) =>
    patterns.some((pattern) => matchesPattern(domain, pattern));
  const whitelist = settings.domainWhitelist ?? [];
  if (whitelist.length > 0) {
    return isListed(whitelist) ? undefined : 'domain is not authorized for sign-up';
  }
  if (!settings.domainBlacklistEnabled || !isListed(settings.domainBlacklist)) return undefined;
  return 'is not from an allowed domain.';
}

/** Whether a whole domain matches, whatever its case; `*` stands for any run of characters. */
export function matchesPattern(domain: string, pattern: string): boolean {
  const text = domain.toLowerCase();
  const [first = '', ...rest] = pattern.toLowerCase().split('*');
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  // The earliest place of each piece leaves the most to those behind it: no need to try others.
  let position = first.length;
  for (const piece of rest) {
    const found = text.indexOf(piece, position);
    if (found === -1) return false;
    position = found + piece.length;
  }
  return text.length - position >= last.length && text.endsWith(last);
}
