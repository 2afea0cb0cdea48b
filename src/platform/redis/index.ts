export { askForSlot, CLUSTER_PREFIX } from './cluster-connector.js';
export {
  CONNECTION_NAME,
  type ConnectionOptions,
  hostOptions,
  sentinelAccess,
} from './connection-options.js';
export { connectRedis, type RedisPatience } from './redis-client.js';
