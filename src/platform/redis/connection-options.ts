import type { RedisOptions } from 'ioredis';
import type { RedisAddress } from '../config/index.js';

/** Addresses with a list of hosts. */
type SeveralHosts = Extract<RedisAddress, { isEncrypted: boolean }>;

/** Options of a connection. Answers keep the form that ioredis gives them by itself. */
export type RedisConnectionOptions = Omit<RedisOptions, 'replyMapping'>;

/** The name of connections in `CLIENT LIST`. */
export const CONNECTION_NAME = 'trellis';
/** How long a Sentinel may take, before the next one is asked. */
const SENTINEL_TIMEOUT_MS = 2_000;
const SENTINEL_RETRY_MS = 1_000;
const MAX_RETRY_MS = 2_000;

/** The pause before an attempt to connect. */
export const retryDelay = (times: number): number =>
  Math.min(MAX_RETRY_MS, 50 * 2 ** Math.min(times, 6));

/** What it takes to be admitted by a server that the address names, or leads to. */
export const hostOptions = ({
  credentials,
  isEncrypted,
}: SeveralHosts): RedisConnectionOptions => ({
  ...credentials,
  ...(isEncrypted ? { tls: {} } : {}),
});

type SentinelAddress = Extract<RedisAddress, { kind: 'sentinel' }>;

/** What it takes to be admitted by a Sentinel. */
export const sentinelAccess = (address: SentinelAddress): RedisConnectionOptions => ({
  ...address.sentinelCredentials,
  ...(address.isEncrypted ? { tls: {} } : {}),
});

/** Has every connection ask the Sentinels for the present master. */
export function sentinelOptions(address: SentinelAddress): RedisConnectionOptions {
  const { hosts, master, database, sentinelCredentials, isEncrypted } = address;
  const { username, password } = sentinelCredentials;
  return {
    ...hostOptions(address),
    sentinels: [...hosts],
    name: master,
    db: database,
    ...(username === undefined ? {} : { sentinelUsername: username }),
    ...(password === undefined ? {} : { sentinelPassword: password }),
    ...(isEncrypted ? { sentinelTLS: {}, enableTLSForSentinelMode: true } : {}),
    sentinelCommandTimeout: SENTINEL_TIMEOUT_MS,
    // The message that names it stays the same, so that the log has it once.
    sentinelRetryStrategy: () => SENTINEL_RETRY_MS,
  };
}
