import { isIP } from 'node:net';

interface RedisHost {
  readonly host: string;
  readonly port: number;
}

interface Credentials {
  readonly username?: string;
  readonly password?: string;
}

/** What `REDIS_URL` names: one server, the Sentinels that know the present master, or nodes of a cluster. */
export type RedisAddress =
  | { readonly kind: 'server'; readonly url: string }
  | {
      readonly kind: 'sentinel';
      readonly isEncrypted: boolean;
      /** Of the Sentinels. */
      readonly hosts: readonly RedisHost[];
      /** Name under which the Sentinels watch the master. */
      readonly master: string;
      readonly database: number;
      readonly credentials: Credentials;
      readonly sentinelCredentials: Credentials;
    }
  | {
      readonly kind: 'cluster';
      readonly isEncrypted: boolean;
      readonly hosts: readonly RedisHost[];
      readonly credentials: Credentials;
    };

/** Says what is wrong with an address, without any part of it: each may be a secret in the wrong place. */
export class RedisAddressError extends Error {
  override readonly name = 'RedisAddressError';
}

const DEFAULT_PORTS = { sentinel: 26_379, cluster: 6_379 };
const HIGHEST_PORT = 65_535;
const HIGHEST_DATABASE = 999_999;
const SEVERAL =
  /^redis(s?)\+(sentinel|cluster):\/\/(?:([^/?#@]*)@)?([^/?#@]*)(\/[^?#@]*)?(?:\?([^#]*))?$/;
const HOST =
  /^(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9])?))(?::(\d{1,5}))?$/;
const PARAMETERS = ['master', 'sentinel_username', 'sentinel_password'];

/** @throws RedisAddressError */
export function parseRedisAddress(text: string): RedisAddress {
  if (!/^rediss?\+/.test(text)) return { kind: 'server', url: parseServer(text) };
  const parts = SEVERAL.exec(text);
  if (parts === null) {
    throw new RedisAddressError(
      'it has to begin with redis+sentinel:// or redis+cluster:// (rediss+… for TLS), and / ? # @ : in a user name or password are percent-encoded',
    );
  }
  const [, tls, kind, userInfo, hostList = '', path = '', query] = parts;
  const isEncrypted = tls === 's';
  const credentials = parseUserInfo(userInfo);
  if (kind === 'cluster') {
    if (!/^\/?0?$/.test(path)) throw new RedisAddressError('a cluster has the database 0 alone');
    if (query !== undefined) throw new RedisAddressError('a cluster takes no parameters');
    return { kind, isEncrypted, hosts: parseHosts(hostList, kind), credentials };
  }
  return {
    kind: 'sentinel',
    isEncrypted,
    hosts: parseHosts(hostList, 'sentinel'),
    database: parseDatabase(path),
    credentials,
    ...parseParameters(query ?? ''),
  };
}

function parseServer(text: string): string {
  const url = URL.canParse(text) && !/\s/.test(text) ? new URL(text) : undefined;
  if (url === undefined || !/^rediss?:$/.test(url.protocol) || url.hostname === '') {
    throw new RedisAddressError('it is no address of a Redis');
  }
  if (!url.hostname.includes(',')) return text;
  throw new RedisAddressError('several hosts take redis+sentinel:// or redis+cluster://');
}

function parseHosts(text: string, kind: keyof typeof DEFAULT_PORTS): RedisHost[] {
  return text.split(',').map((each) => {
    const [, ipv6, name, digits] = HOST.exec(each) ?? [];
    const host = ipv6 ?? name;
    const port = digits === undefined ? DEFAULT_PORTS[kind] : Number(digits);
    const isUsable = host !== undefined && (ipv6 === undefined || isIP(ipv6) === 6);
    if (isUsable && port >= 1 && port <= HIGHEST_PORT) return { host, port };
    throw new RedisAddressError('hosts are HOST:PORT with commas between them, IPv6 in brackets');
  });
}

function parseDatabase(path: string): number {
  const digits = path.slice(1);
  if (/^\d{0,6}$/.test(digits)) return Number(digits);
  throw new RedisAddressError(`the database is a number from 0 to ${HIGHEST_DATABASE}`);
}

function parseUserInfo(text: string | undefined): Credentials {
  if (text === undefined) return {};
  const cut = text.indexOf(':');
  if (cut < 0) return credentialsOf(decoded(text), '');
  return credentialsOf(decoded(text.slice(0, cut)), decoded(text.slice(cut + 1)));
}

/** Parts that are empty are absent. */
const credentialsOf = (username: string, password: string): Credentials => ({
  ...(username === '' ? {} : { username }),
  ...(password === '' ? {} : { password }),
});

function parseParameters(query: string): { master: string; sentinelCredentials: Credentials } {
  const values = new Map<string, string>();
  for (const pair of query.split('&').filter((each) => each !== '')) {
    const cut = pair.indexOf('=');
    const name = pair.slice(0, cut);
    if (!PARAMETERS.includes(name) || values.has(name)) {
      throw new RedisAddressError(`its parameters are ${PARAMETERS.join(', ')}, each once`);
    }
    values.set(name, decoded(pair.slice(cut + 1)));
  }
  const valueOf = (name: string) => values.get(name) ?? '';
  const master = valueOf('master');
  if (master === '') throw new RedisAddressError('it lacks the name of the master, ?master=NAME');
  const sentinelCredentials = credentialsOf(
    valueOf('sentinel_username'),
    valueOf('sentinel_password'),
  );
  return { master, sentinelCredentials };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new RedisAddressError('a part of it is not percent-encoded correctly');
  }
}
