import { Redis } from 'ioredis';
import { CONNECTION_NAME, type RedisConnectionOptions } from './connection-options.js';

/**
 * Connects to a server, asks and disconnects.
 * @param server its address or options
 * @param limitMs how long connecting may take, and each command
 * @throws Error why there was no answer
 */
export async function askRedis<T>(
  server: string | RedisConnectionOptions,
  limitMs: number,
  question: (redis: Redis) => Promise<T>,
): Promise<T> {
  const options: RedisConnectionOptions = {
    lazyConnect: true,
    connectTimeout: limitMs,
    commandTimeout: limitMs,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
    connectionName: CONNECTION_NAME,
  };
  const redis =
    typeof server === 'string' ? new Redis(server, options) : new Redis({ ...server, ...options });
  let failure: Error | undefined;
  // The promises only say that the connection is closed.
  redis.on('error', (error: Error) => (failure ??= error));
  try {
    await redis.connect();
    return await question(redis);
  } catch (error) {
    throw failure ?? error;
  } finally {
    redis.disconnect();
  }
}
