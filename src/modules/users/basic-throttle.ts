import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { forbidden } from '../../platform/errors/index.js';
import { clientNetwork, FAILED_PASSWORDS } from '../../platform/limits/index.js';
import { type AddressLimit, type PasswordAttempt, PasswordAttempts } from './password-attempts.js';
import { isLoopback, rateLimiter } from './rate-limits.js';

/**
 * Shuts out addresses that guess at basic authentication: after ten failures within a minute, all that
 * bring a credential from there are refused for an hour. Loopback is exempt.
 */
@Injectable()
export class BasicThrottle {
  private readonly limit: AddressLimit;

  constructor(
    dataSource: DataSource,
    private readonly attempts: PasswordAttempts,
  ) {
    const { ofAddress, shutOutSeconds } = FAILED_PASSWORDS;
    this.limit = {
      failures: rateLimiter(dataSource, {
        ...ofAddress,
        keyPrefix: 'basic-failures',
        blockDuration: shutOutSeconds,
      }),
      refusal: () => forbidden(),
    };
  }

  /** Whether the address is shut out now. */
  async isShutOut(address: string): Promise<boolean> {
    if (isLoopback(address)) return false;
    const counted = await this.limit.failures.get(clientNetwork(address));
    return counted !== null && counted.consumedPoints > FAILED_PASSWORDS.ofAddress.points;
  }

  /** @param address the client's IP address */
  from(address: string): PasswordAttempt {
    return this.attempts.from(address, this.limit);
  }
}
