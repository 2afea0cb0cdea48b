export { askRedis } from './ask-redis.js';
export { askForSlot, CLUSTER_PREFIX } from './cluster-connector.js';
export { type RedisConnectionOptions, hostOptions, sentinelAccess } from './connection-options.js';
export { connectRedis, type RedisPatience } from './redis-client.js';
