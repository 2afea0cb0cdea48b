import { BlockList, isIPv6 } from 'node:net';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import type { DataSource } from 'typeorm';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');
loopback.addSubnet('::ffff:127.0.0.0', 104, 'ipv6');

/** Clients on this machine are exempt from limits (open points 1.8). */
export function isLoopback(address: string): boolean {
  return loopback.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}

export interface Limit {
  keyPrefix: string;
  points: number;
  /** Seconds. */
  duration: number;
  /** Seconds for which a key that went over the limit stays refused. */
  blockDuration?: number;
}

/** A limit that all processes count towards, in the table `rate_limits`. */
export function rateLimiter(dataSource: DataSource, limit: Limit): RateLimiterPostgres {
  return new RateLimiterPostgres({
    storeClient: dataSource,
    storeType: 'typeorm',
    tableName: 'rate_limits',
    tableCreated: true,
    ...limit,
  });
}

/** Milliseconds to wait, or null when the limit is not exceeded. */
export async function consume(limiter: RateLimiterPostgres, key: string): Promise<number | null> {
  try {
    await limiter.consume(key);
    return null;
  } catch (error) {
    if (!(error instanceof RateLimiterRes)) throw error;
    return error.msBeforeNext;
  }
}
