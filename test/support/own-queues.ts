import { Redis } from 'ioredis';

/**
 * Variables that give a service queues of its own: in Redis, services that share a database would
 * take each other's jobs. Call it before the service starts; a Jest worker has one such place.
 */
export async function ownQueues(): Promise<Record<string, string>> {
  const url = process.env['TEST_REDIS_URL'];
  if (url === undefined || url === '') return {};
  const own = new URL(url);
  own.pathname = `/${process.env['JEST_WORKER_ID'] ?? '1'}`;
  const redis = new Redis(own.href);
  await redis.flushdb();
  redis.disconnect();
  return { REDIS_URL: own.href };
}
