import { Redis } from 'ioredis';
import { PROBE_LIMIT_MS } from './time-limit.js';

/** What a server of Redis says about itself. */
export interface RedisReport {
  readonly version: string;
  readonly clock: Date;
  /** Undefined where the server does not tell. */
  readonly evictionPolicy: string | undefined;
}

/** @throws Error when the server cannot be reached or does not answer within the time limit */
export async function probeRedis(url: string): Promise<RedisReport> {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: PROBE_LIMIT_MS,
    commandTimeout: PROBE_LIMIT_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
    connectionName: 'trellis',
  });
  let failure: Error | undefined;
  // The promises only say that the connection is closed.
  redis.on('error', (error: Error) => (failure ??= error));
  try {
    await redis.connect();
    const server = await redis.info('server', 'memory');
    const [seconds, microseconds] = await redis.time();
    return {
      version: /^redis_version:(\S+)/m.exec(server)?.[1] ?? 'unknown',
      clock: new Date(Number(seconds) * 1_000 + Number(microseconds) / 1_000),
      evictionPolicy: /^maxmemory_policy:(\S+)/m.exec(server)?.[1],
    };
  } catch (error) {
    throw failure ?? error;
  } finally {
    redis.disconnect();
  }
}
