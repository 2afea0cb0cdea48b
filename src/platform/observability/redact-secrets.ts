import { redactUrl } from './redact-url.js';

const SECRET_KEY =
  /token|password|passphrase|secret|credential|authorization|cookie|signature|private_?key/i;
const REDACTED = '[redacted]';
// Schemes are bounded: a long text of what may be one would be read again at each of its letters.
/** An address in a text, up to what cannot be part of one. */
const ADDRESS = /\b[a-z][a-z0-9+.-]{0,31}:\/\/[^\s"<>]+/gi;
/** Everything up to the last `@` before the path may be a credential, with quotes and brackets in it. */
const USER_INFO = /\b([a-z][a-z0-9+.-]{0,31}:\/\/)[^/?#\s]*@/gi;
/** Nested deeper, a value is left out. */
const MAX_DEPTH = 32;

/** A text without user names, passwords and secret parameters in the addresses that it contains. */
export const redactText = (text: string): string =>
  text.replace(USER_INFO, `$1${REDACTED}@`).replace(ADDRESS, redactUrl);

/** JSON without the values of keys that name secrets, and with `redactText` of the others. */
export function redactSecrets(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return REDACTED;
  if (Array.isArray(value)) return value.map((each) => redactSecrets(each, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      key,
      SECRET_KEY.test(key) ? REDACTED : redactSecrets(each, depth + 1),
    ]),
  );
}
