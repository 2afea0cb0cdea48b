import type { Secrets } from '../../../platform/secrets/index.js';
import type { BranchFilterStrategy } from './branch-filter.js';
import { mergeHeaders } from './custom-headers.js';
import type { Hook, HookFlag } from './hook.entity.js';
import { type NamedValue, openValues, sealValues } from './sealed-values.js';

// A hook has secrets: the password in its URL, its token, its custom headers and the variables of its URL. All are stored
// encrypted, and dropped when the URL changes to another server.

const SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:']);
const MAX_URL_LENGTH = 2_048;
// The URL parser removes some of them silently, and none is allowed in a request.
const CONTROL_CHARACTER = /\p{Cc}/u;

const MAX_VARIABLES = 20;
const VARIABLE = /\{([A-Za-z]\w{0,99})\}/g;

/** Replaces a password wherever a URL is stored, shown or logged. */
const MASK = '***';
/** Scheme and user name, then the password: everything up to the last `@` before the path. */
const PASSWORD = /^([^:]*:[\\/]*[^:\\/?#]*:)[^\\/?#]*@/;

/** A URL as it is stored: the password masked, and encrypted beside it. */
export type StoredUrl = Pick<Hook, 'url' | 'passwordSealed'>;

/** The encrypted columns of a hook, with the URL that they belong to. */
export type SealedHook = StoredUrl &
  Pick<Hook, 'tokenSealed' | 'customHeadersSealed' | 'urlVariablesSealed'>;

/** The settings of a hook that a request gives; the others keep their values or defaults. */
export interface HookInput extends Partial<Record<HookFlag, boolean | undefined>> {
  url: string;
  name?: string | null | undefined;
  description?: string | null | undefined;
  pushEventsBranchFilter?: string | null | undefined;
  branchFilterStrategy?: BranchFilterStrategy | undefined;
  /** Added to those that there are, or instead of those of the same names; like the next. */
  customHeaders?: readonly NamedValue[] | undefined;
  /** For each `{key}` behind the host of the URL. */
  urlVariables?: readonly NamedValue[] | undefined;
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

/** Why the settings of a hook are refused. */
export type HookFlaw = 'custom-headers' | 'url';

/**
 * The columns to write, with the secrets encrypted, or why that is refused. Without new ones the old token, headers and variables
 * are dropped when scheme, host or port of the URL change.
 * @param before the hook that is updated; null for a new one
 */
export function hookValues(
  { token, url, customHeaders, urlVariables, ...settings }: HookInput,
  secrets: Secrets,
  before: Hook | null,
): Partial<Hook> | HookFlaw {
  const defined = Object.entries(settings).filter(([, value]) => value !== undefined);
  const isSameServer = before === null || haveSameOrigin(before.url, url);
  const values = {
    ...Object.fromEntries(defined),
    ...sealUrl(url, secrets, before),
    ...tokenValue(token, secrets, isSameServer),
  };
  const { origin } = new URL(url);
  if (customHeaders !== undefined || !isSameServer) {
    const present = openValues(before?.customHeadersSealed ?? null, origin, secrets);
    const headers = mergeHeaders(present, customHeaders ?? []);
    if (headers === null) return 'custom-headers';
    Object.assign(values, headerValues(headers, origin, secrets));
  }
  if (urlVariables !== undefined || (before?.urlVariablesSealed ?? null) !== null) {
    const variables = new Map([
      ...openValues(before?.urlVariablesSealed ?? null, origin, secrets),
      ...(urlVariables ?? []).map(({ key, value }) => [key, value] as const),
    ]);
    if (variables.size > MAX_VARIABLES || interpolated(url, variables) === null) return 'url';
    const { sealed, names } = sealValues(variables, origin, secrets);
    Object.assign(values, { urlVariablesSealed: sealed, urlVariableNames: names });
  }
  return values;
}

/** The columns of custom headers. */
export function headerValues(
  headers: ReadonlyMap<string, string>,
  origin: string,
  secrets: Secrets,
): Pick<Hook, 'customHeadersSealed' | 'customHeaderNames'> {
  const { sealed, names } = sealValues(headers, origin, secrets);
  return { customHeadersSealed: sealed, customHeaderNames: names };
}

/** The custom headers of a hook. @throws Error when they were encrypted with another key */
export const customHeadersOf = (
  { url, customHeadersSealed }: Pick<Hook, 'url' | 'customHeadersSealed'>,
  secrets: Secrets,
): ReadonlyMap<string, string> => openValues(customHeadersSealed, new URL(url).origin, secrets);

/** What stands for the variables of a URL. @throws Error when it was encrypted with another key */
export const urlVariablesOf = (
  { url, urlVariablesSealed }: Pick<Hook, 'url' | 'urlVariablesSealed'>,
  secrets: Secrets,
): ReadonlyMap<string, string> => openValues(urlVariablesSealed, new URL(url).origin, secrets);

/**
 * The URL with values for its variables. They stand in path and query alone, since the host decides who may be connected to, and
 * who gets the secrets.
 * @returns null for another URL, and for one that is not acceptable then
 */
function interpolated(url: string, variables: ReadonlyMap<string, string>): URL | null {
  const text = url.replace(VARIABLE, (whole, name: string) => variables.get(name) ?? whole);
  const valid = hookUrlOf(text);
  if (valid === null) return null;
  const [before, after] = [new URL(url), new URL(valid)];
  const isSame = (['origin', 'username', 'password'] as const).every(
    (part) => before[part] === after[part],
  );
  return isSame ? after : null;
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
 * The URL that deliveries are sent to, with its password and what its variables stand for.
 * @throws Error when they were encrypted with another key
 */
export function deliveryUrl(
  hook: Pick<SealedHook, keyof StoredUrl | 'urlVariablesSealed'>,
  secrets: Secrets,
): URL {
  const { url, passwordSealed } = hook;
  const parsed = interpolated(url, urlVariablesOf(hook, secrets)) ?? new URL(url);
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
