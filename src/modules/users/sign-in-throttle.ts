import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { tooManyRequests } from '../../platform/errors/index.js';
import { FAILED_PASSWORDS } from '../../platform/limits/index.js';
import { type AddressLimit, type PasswordAttempt, PasswordAttempts } from './password-attempts.js';
import { rateLimiter } from './rate-limits.js';

/** Slows down guessing at `POST /session`: ten failures a minute from one address. */
@Injectable()
export class SignInThrottle {
  private readonly limit: AddressLimit;

  constructor(
    dataSource: DataSource,
    private readonly attempts: PasswordAttempts,
  ) {
    this.limit = {
      failures: rateLimiter(dataSource, {
        ...FAILED_PASSWORDS.ofAddress,
        keyPrefix: 'sign-in-address',
      }),
      refusal: (waitMs) => tooManyRequests(waitMs / 1000),
    };
  }

  /** @param address the client's IP address */
  from(address: string): PasswordAttempt {
    return this.attempts.from(address, this.limit);
  }
}
