import { Injectable } from '@nestjs/common';
import type { RateLimiterPostgres } from 'rate-limiter-flexible';
import { DataSource } from 'typeorm';
import type { DomainError } from '../../platform/errors/index.js';
import { tooManyRequests } from '../../platform/errors/index.js';
import {
  clientNetwork,
  FairSlots,
  FAILED_PASSWORDS,
  PASSWORD_HASHES,
} from '../../platform/limits/index.js';
import { consume, isLoopback, rateLimiter } from './rate-limits.js';

/**
 * Runs one comparison of a password that was given for an account.
 * @param account what stands for the account, or for the login where there is none
 * @returns what `verify` says
 * @throws DomainError where the attempt is refused; SlotsTakenError
 */
export type PasswordAttempt = (account: string, verify: () => Promise<boolean>) => Promise<boolean>;

/** How attempts of one way to sign in are counted by address. */
export interface AddressLimit {
  readonly failures: RateLimiterPostgres;
  /** @param waitMs for how long the address stays refused */
  readonly refusal: (waitMs: number) => DomainError;
}

/**
 * Bounds what guessing at passwords costs and yields. An address has one comparison at a time, since the
 * threads that hash are those that read files, and few in all. Each attempt is counted before its
 * comparison, for the address and for the account, and taken back when the password was right: so a burst
 * counts like a sequence. An account under attack stays open to addresses that signed in to it lately.
 * Loopback clients wait in line like others, and are not counted.
 */
@Injectable()
export class PasswordAttempts {
  private readonly slots = new FairSlots(PASSWORD_HASHES);
  private readonly ofAccount: RateLimiterPostgres;
  private readonly signedIn: RateLimiterPostgres;

  constructor(dataSource: DataSource) {
    const { ofAccount, knownAddressSeconds } = FAILED_PASSWORDS;
    this.ofAccount = rateLimiter(dataSource, { ...ofAccount, keyPrefix: 'password-account' });
    this.signedIn = rateLimiter(dataSource, {
      keyPrefix: 'password-known',
      points: 1,
      duration: knownAddressSeconds,
    });
  }

  /** @param address the client's IP address */
  from(address: string, limit: AddressLimit): PasswordAttempt {
    return async (account, verify) => {
      const release = await this.slots.acquire({ address });
      try {
        if (isLoopback(address)) return await verify();
        return await this.count(clientNetwork(address), account, limit, verify);
      } finally {
        release();
      }
    };
  }

  private async count(
    network: string,
    account: string,
    { failures, refusal }: AddressLimit,
    verify: () => Promise<boolean>,
  ): Promise<boolean> {
    const waitMs = await consume(failures, network);
    if (waitMs !== null) throw refusal(waitMs);
    const accountWaitMs = await consume(this.ofAccount, account);
    const pair = `${account}/${network}`;
    if (accountWaitMs !== null && (await this.signedIn.get(pair)) === null) {
      throw tooManyRequests(accountWaitMs / 1000);
    }
    const matches = await verify();
    if (matches) {
      await Promise.all([
        failures.reward(network, 1),
        this.ofAccount.reward(account, 1),
        this.signedIn.set(pair, 1, FAILED_PASSWORDS.knownAddressSeconds),
      ]);
    }
    return matches;
  }
}
