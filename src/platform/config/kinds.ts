import { isIP } from 'node:net';
import { hostAddresses } from './host-addresses.js';
import { parseRedisAddress, RedisAddressError } from './redis-address.js';
import { hasUserNameForm, isReservedUserName } from './user-name.js';

/** How a variable's text becomes a value: `parse` answers undefined for a text it does not accept. */
export interface ValueKind<T> {
  /** What is allowed, worded to follow "allowed: ". */
  readonly allowed: string;
  readonly parse: (text: string) => T | undefined;
  /** Says more about a text that `parse` does not accept, without any part of it. */
  readonly explain?: (text: string) => string | undefined;
}

const HOST_NAME = /^(?=.{1,253}$)[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9])?$/;
const HIGHEST_PORT = 65_535;

const wholeNumber = (text: string, least: number, most: number): number | undefined => {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  return value >= least && value <= most ? value : undefined;
};

const accepted = (text: string, holds: boolean): string | undefined => (holds ? text : undefined);

const parseUrl = (text: string): URL | undefined =>
  URL.canParse(text) && !/\s/.test(text) ? new URL(text) : undefined;

export function integer(least: number, most: number): ValueKind<number> {
  return {
    allowed: `a whole number from ${least} to ${most}`,
    parse: (text) => wholeNumber(text, least, most),
  };
}

export function oneOf<const T extends string>(...values: readonly T[]): ValueKind<T> {
  return {
    allowed: `one of ${values.join(', ')}`,
    parse: (text) => values.find((value) => value === text),
  };
}

/** A text of the given number of characters, of any kind or matching a pattern. */
export function textOf(least: number, most: number, charset?: { pattern: RegExp; name: string }) {
  const kind: ValueKind<string> = {
    allowed: `${least} to ${most} characters${charset ? ` out of ${charset.name}` : ''}`,
    parse: (text) =>
      accepted(
        text,
        text.length >= least && text.length <= most && (charset?.pattern.test(text) ?? true),
      ),
  };
  return kind;
}

export const port: ValueKind<number> = {
  allowed: `a port from 1 to ${HIGHEST_PORT}, or 0 for a free one`,
  parse: (text) => wholeNumber(text, 0, HIGHEST_PORT),
};

export const portOrOff: ValueKind<number | 'off'> = {
  allowed: `${port.allowed}, or off`,
  parse: (text) => (text === 'off' ? 'off' : port.parse(text)),
};

export const flag: ValueKind<boolean> = {
  allowed: 'true or false',
  parse: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
};

export const host: ValueKind<string> = {
  allowed: 'an IP address (IPv6 without brackets) or a host name',
  parse: (text) => accepted(text, isIP(text) !== 0 || HOST_NAME.test(text)),
};

export const path: ValueKind<string> = {
  allowed: 'a path, relative to the working directory or absolute',
  parse: (text) => accepted(text, !text.includes('\0')),
};

/** Times in seconds. */
export const secondsList: ValueKind<readonly number[]> = {
  allowed: 'up to 100 numbers of seconds with commas between them, each at most 2592000',
  parse: (text) => {
    const items = text.split(',').map((item) => item.trim());
    const isUsable = items.every((item) => /^\d{1,7}(?:\.\d{1,3})?$/.test(item));
    const seconds = items.map(Number);
    const isShort = seconds.length <= 100 && seconds.every((each) => each <= 2_592_000);
    return isUsable && isShort ? seconds : undefined;
  },
};

export const ratio: ValueKind<number> = {
  allowed: 'a number from 0 to 1',
  parse: (text) => (/^(?:0(?:\.\d{1,9})?|1(?:\.0{1,9})?)$/.test(text) ? Number(text) : undefined),
};

const HEADER = /^([\w!#$%&'*+.^`|~-]+)\s*=\s*([\x21-\x2b\x2d-\x7e]*)$/;

/** `name=value` pairs as OpenTelemetry writes them, with percent-encoded values. */
export const headerList: ValueKind<Readonly<Record<string, string>>> = {
  allowed: 'pairs NAME=VALUE with commas between them, values percent-encoded',
  parse: (text) => {
    const pairs = text.split(',').map((pair) => HEADER.exec(pair.trim()));
    try {
      const headers = pairs.map((pair) => [pair?.[1] ?? '', decodeURIComponent(pair?.[2] ?? '')]);
      const isUsable = headers.every(
        ([name = '', value = '']) => name !== '' && /^[\x20-\x7e]*$/.test(value),
      );
      return isUsable ? (Object.fromEntries(headers) as Record<string, string>) : undefined;
    } catch {
      return undefined;
    }
  },
};

/** IP addresses, and networks in CIDR notation. */
export const networkList: ValueKind<readonly string[]> = {
  allowed: 'up to 100 IP addresses or networks such as 10.0.0.0/8, with commas between them',
  parse: (text) => {
    const networks = text.split(',').map((item) => item.trim());
    return networks.length <= 100 && networks.every(isNetwork) ? networks : undefined;
  },
};

/** Names of hosts, IP addresses, and networks in CIDR notation. */
export const hostList: ValueKind<readonly string[]> = {
  allowed:
    'up to 100 host names, IP addresses or networks such as 10.0.0.0/8, with commas between them',
  parse: (text) => {
    const hosts = text.split(',').map((item) => item.trim().toLowerCase());
    const isUsable = hosts.every((item) => isNetwork(item) || HOST_NAME.test(item));
    return hosts.length <= 100 && isUsable ? hosts : undefined;
  },
};

function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const most = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  if (most < 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most);
}

const STORAGE = /^\s*([A-Za-z0-9][A-Za-z0-9_.-]{0,63})=([^\0]*[^\0\s])\s*$/;

/** `name=path` pairs, as a map in the order given; the name `default` is the service's own. */
export const storageRoots: ValueKind<ReadonlyMap<string, string>> = {
  allowed:
    "pairs NAME=PATH with commas between them; each name once, not default, up to 64 letters, digits, '_', '.' and '-'; each path once",
  parse: (text) => {
    const pairs = text.split(',').map((pair) => STORAGE.exec(pair));
    const roots = new Map(pairs.map((pair) => [pair?.[1] ?? '', pair?.[2] ?? '']));
    const paths = new Set(roots.values());
    const usable = !roots.has('') && !roots.has('default');
    return usable && paths.size === pairs.length && roots.size === pairs.length ? roots : undefined;
  },
};

/** The address clients see; a trailing slash is cut, so that paths can be appended. */
export const baseUrl: ValueKind<string> = {
  allowed: 'an http:// or https:// address without user, query and fragment',
  parse: (text) => {
    const url = parseUrl(text);
    const plain = url && !url.username && !url.password && !/[?#]/.test(text);
    return plain && /^https?:$/.test(url.protocol)
      ? url.href.replace(/(?<!\/)\/+$/, '')
      : undefined;
  },
};

/** Of libpq's values those with which the service can do its work. */
const SESSION_TARGETS: ReadonlySet<string | null> = new Set([null, 'read-write', 'primary']);

export const databaseUrl: ValueKind<string> = {
  allowed:
    'postgres://USER:PASSWORD@HOST:PORT/DATABASE; several as HOST:PORT,HOST:PORT; target_session_attrs may be read-write or primary',
  parse: (text) => {
    const urls = hostAddresses(text).map(parseUrl);
    const isUsable = urls.every(
      (url) =>
        url !== undefined &&
        url.pathname.length > 1 &&
        /^postgres(ql)?:$/.test(url.protocol) &&
        (urls.length === 1 || url.hostname !== '') &&
        SESSION_TARGETS.has(url.searchParams.get('target_session_attrs')),
    );
    return accepted(text, isUsable);
  },
};

const MOST_REPLICAS = 20;

/** Addresses of standbys: each with one host, or several that are standbys each. */
export const replicaUrls: ValueKind<readonly string[]> = {
  allowed: `up to ${MOST_REPLICAS} addresses as of DATABASE_URL, with spaces between them, without target_session_attrs; several hosts of one are standbys each`,
  parse: (text) => {
    const addresses = text.trim().split(/\s+/);
    const urls = addresses.flatMap(hostAddresses);
    const areUsable = addresses.every((address) => databaseUrl.parse(address) !== undefined);
    const leadToStandbys = urls.every((url) => {
      const { hostname = '', pathname = '', searchParams } = parseUrl(url) ?? {};
      // With commas between addresses, the second one would be part of the name of the first database.
      const hasName = !pathname.includes('//');
      return hostname !== '' && hasName && searchParams?.has('target_session_attrs') === false;
    });
    return areUsable && leadToStandbys && urls.length <= MOST_REPLICAS ? urls : undefined;
  },
};

const problemOfRedisUrl = (text: string): string | undefined => {
  try {
    parseRedisAddress(text);
    return undefined;
  } catch (error) {
    if (error instanceof RedisAddressError) return error.message;
    throw error;
  }
};

export const redisUrl: ValueKind<string> = {
  allowed:
    'redis://HOST:PORT/NUMBER, redis+sentinel://HOST:PORT,HOST:PORT/NUMBER?master=NAME or redis+cluster://HOST:PORT,HOST:PORT; rediss for TLS',
  parse: (text) => accepted(text, problemOfRedisUrl(text) === undefined),
  explain: problemOfRedisUrl,
};

export const userName: ValueKind<string> = {
  allowed:
    "1 to 255 letters, digits, '_', '-' and '.'; not starting with '-', not ending in '.', '.git' or '.atom'; not a reserved name",
  parse: (text) => accepted(text, hasUserNameForm(text) && !isReservedUserName(text)),
};

export const email: ValueKind<string> = {
  allowed: "an address with one '@', without blanks, at most 255 characters",
  parse: (text) => accepted(text, text.length <= 255 && /^[^\s@]+@[^\s@]+$/.test(text)),
};
