import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { RateLimiterPostgres } from 'rate-limiter-flexible';
import { DataSource } from 'typeorm';
import { tooManyRequests } from '../../platform/errors/index.js';
import { consume, isLoopback, rateLimiter } from './rate-limits.js';

const LIMIT = { points: 10, duration: 60 };

/**
 * Slows down guessing of passwords: ten attempts a minute from one address, and ten at one account
 * wherever they come from (open points 1.8). Loopback clients are exempt.
 */
@Injectable()
export class SignInThrottle {
  private readonly byAddress: RateLimiterPostgres;
  private readonly byAccount: RateLimiterPostgres;

  constructor(dataSource: DataSource) {
    this.byAddress = rateLimiter(dataSource, { ...LIMIT, keyPrefix: 'sign-in-address' });
    this.byAccount = rateLimiter(dataSource, { ...LIMIT, keyPrefix: 'sign-in-account' });
  }

  /**
   * Counts one attempt.
   * @param address the client's IP address
   * @throws DomainError too many requests, with the seconds to wait
   */
  async attempt(address: string, login: string): Promise<void> {
    if (isLoopback(address)) return;
    const wait =
      (await consume(this.byAddress, address)) ?? (await consume(this.byAccount, digest(login)));
    if (wait !== null) throw tooManyRequests(wait / 1000);
  }
}

/** A login may be of any length; a key may not. */
function digest(login: string): string {
  return createHash('sha256').update(login.toLowerCase()).digest('hex');
}
