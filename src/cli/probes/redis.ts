import type { Redis } from 'ioredis';
import { parseRedisAddress, type RedisAddress } from '../../platform/config/index.js';
import {
  askForSlot,
  askRedis,
  type RedisConnectionOptions,
  hostOptions,
  sentinelAccess,
} from '../../platform/redis/index.js';
import { PROBE_LIMIT_MS, reasonOf } from './time-limit.js';

/** What the server that holds the queues says about itself. */
export interface RedisReport {
  readonly version: string;
  readonly clock: Date;
  /** Undefined where the server does not tell. */
  readonly evictionPolicy: string | undefined;
  /** Absent for a single server. */
  readonly failover?: FailoverReport;
}

/** Whether another server can take the place of the one that holds the queues. */
export interface FailoverReport {
  readonly by: 'sentinel' | 'cluster';
  /** `HOST:PORT` of that server. */
  readonly master: string;
  readonly replicas: number;
  /** Hosts of the address that do not answer, with the reason. */
  readonly silent: readonly string[];
  /** Why no other server could; null if nothing is in the way. */
  readonly obstacle: string | null;
}

/** The hosts that know the master are asked first, and then the master. */
const HOST_LIMIT_MS = PROBE_LIMIT_MS / 2 - 100;

type SentinelAddress = Extract<RedisAddress, { kind: 'sentinel' }>;
type ClusterAddress = Extract<RedisAddress, { kind: 'cluster' }>;
type Failover = Omit<FailoverReport, 'silent' | 'replicas'> & { readonly replicas?: number };

/** @throws Error when the server cannot be reached or does not answer within the time limit */
export async function probeRedis(url: string): Promise<RedisReport> {
  const address = parseRedisAddress(url);
  if (address.kind === 'server') {
    const { replicas: _, ...report } = await askRedis(url, PROBE_LIMIT_MS, readServer);
    return report;
  }
  const { failover, silent } =
    address.kind === 'sentinel'
      ? await askHosts(address, sentinelAccess(address), (redis) => askSentinel(redis, address))
      : await askHosts(address, hostOptions(address), askNode);
  const { master } = failover;
  const cut = master.lastIndexOf(':');
  const server = { host: master.slice(0, cut), port: Number(master.slice(cut + 1)) };
  const db = address.kind === 'sentinel' ? address.database : 0;
  const options = { ...hostOptions(address), ...server, db };
  const { replicas, ...report } = await askRedis(options, HOST_LIMIT_MS, readServer);
  return { ...report, failover: { replicas, ...failover, silent } };
}

async function readServer(redis: Redis) {
  const server = await redis.info('server', 'memory', 'replication');
  const [seconds, microseconds] = await redis.time();
  return {
    version: /^redis_version:(\S+)/m.exec(server)?.[1] ?? 'unknown',
    clock: new Date(Number(seconds) * 1_000 + Number(microseconds) / 1_000),
    evictionPolicy: /^maxmemory_policy:(\S+)/m.exec(server)?.[1],
    replicas: Number(/^connected_slaves:(\d+)/m.exec(server)?.[1] ?? 0),
  };
}

/**
 * Asks all hosts of an address at the same time; the first that answers is believed.
 * @throws Error when none does
 */
async function askHosts(
  { hosts }: SentinelAddress | ClusterAddress,
  access: RedisConnectionOptions,
  question: (redis: Redis) => Promise<Failover>,
): Promise<{ failover: Failover; silent: string[] }> {
  const answers = await Promise.allSettled(
    hosts.map((host) => askRedis({ ...access, ...host }, HOST_LIMIT_MS, question)),
  );
  const silent = answers.flatMap((answer, index) => {
    const host = hosts[index];
    const isSilent = answer.status === 'rejected' && host !== undefined;
    return isSilent ? [`${host.host}:${host.port}: ${reasonOf(answer.reason)}`] : [];
  });
  const found = answers.find((answer) => answer.status === 'fulfilled');
  if (found === undefined) throw new Error(silent.join('; '));
  return { failover: found.value, silent };
}

async function askSentinel(redis: Redis, { master }: SentinelAddress): Promise<Failover> {
  const found = (await redis.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', master)) as
    string[] | null;
  const [host, port] = found ?? [];
  if (host === undefined || port === undefined) {
    throw new Error(`knows no master of the name ${master}`);
  }
  const obstacle = await redis.call('SENTINEL', 'CKQUORUM', master).then(
    () => null,
    (error: unknown) => reasonOf(error),
  );
  return { by: 'sentinel', master: `${host}:${port}`, obstacle };
}

async function askNode(redis: Redis): Promise<Failover> {
  const { master, replicas, state } = await askForSlot(redis);
  return {
    by: 'cluster',
    master: `${master.host}:${master.port}`,
    replicas: replicas.length,
    obstacle: state === 'ok' ? null : `the state of the cluster is ${state}`,
  };
}
