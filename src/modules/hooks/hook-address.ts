import type { Secrets } from '../../platform/secrets/index.js';
import type { Hook } from './hook.entity.js';

const SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:']);
const MAX_URL_LENGTH = 2_048;
// The parser drops some of them without a word, and none belongs into a request.
const CONTROL_CHARACTER = /\p{Cc}/u;

/** Stands for a password wherever an address is stored, shown or logged. */
const HIDDEN = '***';
/** Scheme and user name, then the password: everything up to the last `@` before the path. */
const PASSWORD = /^([^:]*:[\\/]*[^:\\/?#]*:)[^\\/?#]*@/;

/** Where deliveries go, as it is stored: with `***` for the password, which stands beside it. */
export type HookAddress = Pick<Hook, 'url' | 'passwordSealed'>;

/**
 * The encrypted value. `receiver` binds the password to scheme, host, port and user, so that it is never
 * sent elsewhere.
 */
interface SealedPassword {
  receiver: string;
  /** Percent-encoded, as in the URL. */
  password: string;
}

/** Whether deliveries can be addressed to a URL; whether its host may be connected to is judged then. */
export function isHookUrl(url: string): boolean {
  if (url.length > MAX_URL_LENGTH || CONTROL_CHARACTER.test(url) || !URL.canParse(url))
    return false;
  const { protocol, hostname } = new URL(url);
  return SCHEMES.has(protocol) && hostname !== '';
}

/** The URL as it may be shown: `https://user:***@host/`. Without a password it stays as it was written. */
export function withoutPassword(url: string): string {
  const parsed = new URL(url);
  if (parsed.password === '') return url;
  parsed.password = HIDDEN;
  const shown = url.replace(PASSWORD, `$1${HIDDEN}@`);
  return URL.canParse(shown) && new URL(shown).href === parsed.href ? shown : parsed.href;
}

/**
 * The address to be stored for a URL. `***` is the password that is stored already, unless that is another
 * receiver's: then there is none.
 * @param before the hook that is changed
 */
export function storedAddress(
  url: string,
  secrets: Secrets,
  before: HookAddress | null,
): HookAddress {
  const parsed = new URL(url);
  let { password } = parsed;
  if (password === HIDDEN) {
    const known = before === null ? null : new URL(before.url);
    const isSameReceiver = known !== null && receiverOf(known) === receiverOf(parsed);
    const passwordSealed = before?.passwordSealed ?? null;
    if (isSameReceiver && known.password === HIDDEN && passwordSealed !== null) {
      // Not opened: a password that was sealed under another key fails at the delivery, not here.
      return { url: withoutPassword(url), passwordSealed };
    }
    // A row of an older version holds the password itself.
    password = isSameReceiver ? known.password : '';
  }
  if (password === '') {
    if (parsed.password === '') return { url, passwordSealed: null };
    parsed.password = '';
    return { url: parsed.href, passwordSealed: null };
  }
  const sealed: SealedPassword = { receiver: receiverOf(parsed), password };
  return { url: withoutPassword(url), passwordSealed: secrets.seal(JSON.stringify(sealed)) };
}

/**
 * The URL that deliveries go to, with its password.
 * @throws Error when the password was sealed under another key
 */
export function deliveryUrl({ url, passwordSealed }: HookAddress, secrets: Secrets): URL {
  const parsed = new URL(url);
  // A row of an older version holds the password itself.
  if (parsed.password !== HIDDEN || passwordSealed === null) return parsed;
  const sealed = JSON.parse(secrets.open(passwordSealed)) as SealedPassword;
  parsed.password = sealed.receiver === receiverOf(parsed) ? sealed.password : '';
  return parsed;
}

/** Whether two URLs lead to the same server: scheme, host and port are the same. */
export function haveSameOrigin(one: string, other: string): boolean {
  return new URL(one).origin === new URL(other).origin;
}

const receiverOf = ({ origin, username }: URL): string => `${origin} ${username}`;
