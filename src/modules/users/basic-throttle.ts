import { Injectable } from '@nestjs/common';
import type { RateLimiterPostgres } from 'rate-limiter-flexible';
import { DataSource } from 'typeorm';
import { consume, isLoopback, rateLimiter } from './rate-limits.js';

const FAILURES = 10;
const MINUTE = 60;
const HOUR = 60 * MINUTE;

/**
 * Shuts out addresses that guess at Git over HTTP: ten failed authentications within a minute, and
 * all further ones from there are refused for an hour (open points 1.8). Loopback is exempt.
 */
@Injectable()
export class BasicThrottle {
  private readonly failures: RateLimiterPostgres;

  constructor(dataSource: DataSource) {
    this.failures = rateLimiter(dataSource, {
      keyPrefix: 'basic-failures',
      points: FAILURES,
      duration: MINUTE,
      blockDuration: HOUR,
    });
  }

  /** Whether the address is shut out now. */
  async isShutOut(address: string): Promise<boolean> {
    if (isLoopback(address)) return false;
    const counted = await this.failures.get(address);
    return counted !== null && counted.consumedPoints > FAILURES;
  }

  /** Counts one failed authentication. */
  async fail(address: string): Promise<void> {
    if (!isLoopback(address)) await consume(this.failures, address);
  }
}
