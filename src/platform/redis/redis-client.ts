import { Redis } from 'ioredis';
import { parseRedisAddress, type RedisAddress } from '../config/index.js';
import { clusterConnector } from './cluster-connector.js';
import {
  CONNECTION_NAME,
  type RedisConnectionOptions,
  hostOptions,
  retryDelay,
  sentinelOptions,
} from './connection-options.js';

/** How long is waited for a server that does not answer. Times in milliseconds. */
export interface RedisPatience {
  /** Commands fail after this time, also while no server is there; without it, they wait for one. */
  readonly commandMs?: number;
  /** A connection that owes an answer for this long is replaced. Longer than any blocking command may take. */
  readonly silenceMs: number;
}

const CONNECT_TIMEOUT_MS = 5_000;
/** What the other side gets to close a connection, before it is cut. */
const DISCONNECT_TIMEOUT_MS = 500;
/** After that, Linux probes a silent connection every second, and ends it after ten probes without an answer. */
const KEEP_ALIVE_MS = 5_000;
/** A master that has become a replica, has lost the slot, or is cut off from its cluster. */
const REPLACED = /^(?:READONLY|MOVED|CLUSTERDOWN)\b/;

/**
 * Connects to what an address of `REDIS_URL` names, and again whenever the connection is lost: to the server, to the
 * master that the Sentinels name at that time, or to that of a cluster that has the keys of the service. A machine that
 * disappears without closing its connections is noticed by `silenceMs`.
 * @param onError hears of connections that fail; each is tried again
 */
export function connectRedis(
  url: string,
  patience: RedisPatience,
  onError: (error: Error) => void,
): Redis {
  const redis = create(parseRedisAddress(url), connectionOptions(patience));
  redis.on('error', onError);
  return redis;
}

function create(address: RedisAddress, options: RedisConnectionOptions): Redis {
  switch (address.kind) {
    case 'server':
      return new Redis(address.url, options);
    case 'sentinel':
      return new Redis({ ...options, ...sentinelOptions(address) });
    case 'cluster':
      return new Redis({
        ...options,
        ...hostOptions(address),
        Connector: clusterConnector(address),
      });
  }
}

const connectionOptions = ({ commandMs, silenceMs }: RedisPatience): RedisConnectionOptions => ({
  connectionName: CONNECTION_NAME,
  connectTimeout: CONNECT_TIMEOUT_MS,
  disconnectTimeout: DISCONNECT_TIMEOUT_MS,
  keepAlive: KEEP_ALIVE_MS,
  socketTimeout: silenceMs,
  ...(commandMs === undefined ? {} : { commandTimeout: commandMs }),
  maxRetriesPerRequest: commandMs === undefined ? null : 1,
  retryStrategy: retryDelay,
  // The next connection leads to the present master. The command that has found out fails, as any may; repeated at once,
  // it would turn in circles where the address is that of a replica.
  reconnectOnError: (error) => REPLACED.test(error.message),
});
