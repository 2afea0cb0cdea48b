import { Redis } from 'ioredis';

/**
 * Variables that give a service queues of its own: in Redis, services that share a database would
 * take each other's jobs. Call it before the service starts. A Jest worker has two such places: one for the shared service
 * and one for another.
 */
export async function ownQueues({ ofShared = false } = {}): Promise<Record<string, string>> {
  const url = process.env['TEST_REDIS_URL'];
  if (url === undefined || url === '') return {};
  const own = new URL(url);
  const worker = Number(process.env['JEST_WORKER_ID'] ?? '1');
  own.pathname = `/${String(2 * worker - (ofShared ? 1 : 0))}`;
  const redis = new Redis(own.href);
  await redis.flushdb();
  redis.disconnect();
  return { REDIS_URL: own.href };
}
