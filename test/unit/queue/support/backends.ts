import { hasRedisServer } from '../../../support/redis-server.js';

/** The backends to try here; where Redis is missing, the title of the other one's tests says so. */
export const backends: { kind: 'redis' | 'postgres'; title: string }[] = hasRedisServer
  ? [
      { kind: 'postgres', title: 'on PostgreSQL' },
      { kind: 'redis', title: 'on Redis' },
    ]
  : [{ kind: 'postgres', title: 'on PostgreSQL (no redis-server here: Redis was not tried)' }];
