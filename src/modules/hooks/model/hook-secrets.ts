import type { Secrets } from '../../../platform/secrets/index.js';
import type { Hook, HookFlag } from './hook.entity.js';

// A hook has two secrets: the password in its URL and its token. Both are stored encrypted, and both are
// dropped when the URL changes to another server.

const SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:']);
const MAX_URL_LENGTH = 2_048;
// The URL parser removes some of them silently, and none is allowed in a request.
const CONTROL_CHARACTER = /\p{Cc}/u;

/** Replaces a password wherever a URL is stored, shown or logged. */
const MASK = '***';
/** Scheme and user name, then the password: everything up to the last `@` before the path. */
const PASSWORD = /^([^:]*:[\\/]*[^:\\/?#]*:)[^\\/?#]*@/;

/** A URL as it is stored: the password masked, and encrypted beside it. */
export type StoredUrl = Pick<Hook, 'url' | 'passwordSealed'>;

/** The settings of a hook that a request gives; the others keep their values or defaults. */
export interface HookInput extends Partial<Record<HookFlag, boolean | undefined>> {
  url: string;
  enableSslVerification?: boolean | undefined;
  /** Null removes it. */
  token?: string | null | undefined;
}

/** The settings that a request changes. */
export type HookChanges = Omit<HookInput, 'url'> & { url?: string | undefined };

/** The encrypted value. */
interface SealedPassword {
  /** Scheme, host, port and user that the password is for, so that it is never sent elsewhere. */
  receiver: string;
  /** Percent-encoded, as in the URL. */
  password: string;
}

/**
 * Removes blanks around the URL of a hook, and validates it. Whether its host may be connected to is decided at delivery.
 * @returns null if it is not acceptable
 */
export function hookUrlOf(text: string): string | null {
  const url = text.trim();
  if (url.length > MAX_URL_LENGTH || CONTROL_CHARACTER.test(url) || !URL.canParse(url)) return null;
  const { protocol, hostname } = new URL(url);
  return SCHEMES.has(protocol) && hostname !== '' ? url : null;
}

/**
 * The columns to write, with the secrets encrypted. Without a new token the old one is dropped when scheme,
 * host or port of the URL change.
 * @param before the hook that is updated; null for a new one
 */
export function hookValues(
  { token, url, ...settings }: HookInput,
  secrets: Secrets,
  before: Hook | null,
): Partial<Hook> {
  const defined = Object.entries(settings).filter(([, value]) => value !== undefined);
  return {
    ...Object.fromEntries(defined),
    ...sealUrl(url, secrets, before),
    ...tokenValue(token, secrets, before === null || haveSameOrigin(before.url, url)),
  };
}

/**
 * The columns of a URL. The password `***` means the stored one, unless that is for another receiver: then
 * the URL has none.
 * @param before the hook that is updated
 */
export function sealUrl(url: string, secrets: Secrets, before: StoredUrl | null): StoredUrl {
  const parsed = new URL(url);
  let { password } = parsed;
  if (password === MASK) {
    const stored = before === null ? null : new URL(before.url);
    const isSameReceiver = stored !== null && receiverOf(stored) === receiverOf(parsed);
    const passwordSealed = before?.passwordSealed ?? null;
    if (isSameReceiver && stored.password === MASK && passwordSealed !== null) {
      // Not decrypted: a password encrypted with another key fails at the delivery, not here.
      return { url: maskPassword(url), passwordSealed };
    }
    // Older versions stored the password in the URL itself.
    password = isSameReceiver ? stored.password : '';
  }
  if (password === '') {
    if (parsed.password === '') return { url, passwordSealed: null };
    parsed.password = '';
    return { url: parsed.href, passwordSealed: null };
  }
  const sealed: SealedPassword = { receiver: receiverOf(parsed), password };
  return { url: maskPassword(url), passwordSealed: secrets.seal(JSON.stringify(sealed)) };
}

/** The URL as it may be shown: `https://user:***@host/`. A URL without a password is returned unchanged. */
export function maskPassword(url: string): string {
  const parsed = new URL(url);
  if (parsed.password === '') return url;
  parsed.password = MASK;
  const masked = url.replace(PASSWORD, `$1${MASK}@`);
  return URL.canParse(masked) && new URL(masked).href === parsed.href ? masked : parsed.href;
}

/**
 * The URL that deliveries are sent to, with its password.
 * @throws Error when the password was encrypted with another key
 */
export function deliveryUrl({ url, passwordSealed }: StoredUrl, secrets: Secrets): URL {
  const parsed = new URL(url);
  // Older versions stored the password in the URL itself.
  if (parsed.password !== MASK || passwordSealed === null) return parsed;
  const sealed = JSON.parse(secrets.open(passwordSealed)) as SealedPassword;
  parsed.password = sealed.receiver === receiverOf(parsed) ? sealed.password : '';
  return parsed;
}

function tokenValue(
  token: HookInput['token'],
  secrets: Secrets,
  isSameServer: boolean,
): Partial<Hook> {
  if (token === undefined) return isSameServer ? {} : { tokenSealed: null };
  return { tokenSealed: token === null ? null : secrets.seal(token) };
}

/** Whether two URLs have the same scheme, host and port. */
function haveSameOrigin(one: string, other: string): boolean {
  return new URL(one).origin === new URL(other).origin;
}

const receiverOf = ({ origin, username }: URL): string => `${origin} ${username}`;
