import { BlockList, isIPv6 } from 'node:net';
import { Injectable } from '@nestjs/common';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import { Column, DataSource, Entity, PrimaryColumn } from 'typeorm';
import { type DomainError, forbidden, tooManyRequests } from '../../../platform/errors/index.js';
import {
  clientNetwork,
  FAILED_PASSWORDS,
  FairSlots,
  PASSWORD_HASHES,
  type ReleaseSlot,
  SlotsTakenError,
} from '../../../platform/limits/index.js';
import { exceededBudgets } from '../../../platform/metrics/index.js';

/**
 * Runs one comparison of a password with that of an account.
 * @param account key of the account, or of the login where there is no such account
 * @returns what `verify` returns
 * @throws DomainError where the attempt is refused
 */
export type PasswordAttempt = (account: string, verify: () => Promise<boolean>) => Promise<boolean>;

/** The limit by client address of one way to sign in. */
interface AddressLimit {
  readonly failures: RateLimiterPostgres;
  /** @param waitMs for how long the address stays refused */
  readonly refusal: (waitMs: number) => DomainError;
}

interface Limit {
  readonly keyPrefix: string;
  readonly points: number;
  /** Seconds. */
  readonly duration: number;
  /** Seconds for which a key that exceeded the limit stays refused. */
  readonly blockDuration?: number;
}

/**
 * Limits what guessing passwords costs and yields.
 *
 * An address has one comparison at a time, since the threads that hash are those that read files. Each
 * attempt is counted before its comparison, for the address and for the account, and taken back when the
 * password was right: so a burst counts like a sequence. An account under attack stays open to addresses
 * that signed in to it lately. Loopback clients wait for a slot like others, and are not counted. The
 * limits are listed in docs/decisions/0016-sign-in-throttle.md.
 */
@Injectable()
export class PasswordThrottle {
  private readonly slots = new FairSlots(PASSWORD_HASHES);
  private readonly ofAccount: RateLimiterPostgres;
  private readonly signedIn: RateLimiterPostgres;
  private readonly session: AddressLimit;
  private readonly basic: AddressLimit;

  constructor(dataSource: DataSource) {
    const { ofAccount, ofAddress, knownAddressSeconds, shutOutSeconds } = FAILED_PASSWORDS;
    this.ofAccount = rateLimiter(dataSource, { ...ofAccount, keyPrefix: 'password-account' });
    this.signedIn = rateLimiter(dataSource, {
      keyPrefix: 'password-known',
      points: 1,
      duration: knownAddressSeconds,
    });
    this.session = {
      failures: rateLimiter(dataSource, { ...ofAddress, keyPrefix: 'sign-in-address' }),
      refusal: (waitMs) => tooManyRequests(waitMs / 1000),
    };
    this.basic = {
      failures: rateLimiter(dataSource, {
        ...ofAddress,
        keyPrefix: 'basic-failures',
        blockDuration: shutOutSeconds,
      }),
      refusal: () => forbidden(),
    };
  }

  /**
   * Limits the attempts of an address at `POST /session`; it is refused until the minute is over.
   * @param address the client's IP address
   */
  forSession(address: string): PasswordAttempt {
    return this.attempt(address, this.session);
  }

  /**
   * Limits the attempts of an address by basic authentication; it is shut out for an hour.
   * @param address the client's IP address
   */
  forBasicAuthentication(address: string): PasswordAttempt {
    return this.attempt(address, this.basic);
  }

  /** Whether an address is shut out from basic authentication, whatever its credential. */
  async isShutOut(address: string): Promise<boolean> {
    if (isLoopback(address)) return false;
    const counted = await this.basic.failures.get(clientNetwork(address));
    return counted !== null && counted.consumedPoints > FAILED_PASSWORDS.ofAddress.points;
  }

  private attempt(address: string, limit: AddressLimit): PasswordAttempt {
    return async (account, verify) => {
      const release = await this.acquireSlot(address);
      try {
        if (isLoopback(address)) return await verify();
        return await this.count(clientNetwork(address), account, limit, verify);
      } finally {
        release();
      }
    };
  }

  /** Too many attempts, of this caller or of others, are refused with 429: the process is not overloaded. */
  private async acquireSlot(address: string): Promise<ReleaseSlot> {
    try {
      return await this.slots.acquire({ address });
    } catch (error) {
      throw error instanceof SlotsTakenError ? tooManyRequests(error.retryAfterSeconds) : error;
    }
  }

  private async count(
    network: string,
    account: string,
    { failures, refusal }: AddressLimit,
    verify: () => Promise<boolean>,
  ): Promise<boolean> {
    const waitMs = await consume(failures, network);
    if (waitMs !== null) throw exceeded(refusal(waitMs));
    const accountWaitMs = await consume(this.ofAccount, account);
    const pair = `${account}/${network}`;
    if (accountWaitMs !== null && (await this.signedIn.get(pair)) === null) {
      throw exceeded(tooManyRequests(accountWaitMs / 1000));
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

function exceeded(refusal: DomainError): DomainError {
  exceededBudgets.inc({ budget: 'failed_passwords' });
  return refusal;
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');
loopback.addSubnet('::ffff:127.0.0.0', 104, 'ipv6');

function isLoopback(address: string): boolean {
  return loopback.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}

/** A counter of attempts that all processes share. Only rate-limiter-flexible reads and writes it. */
@Entity('rate_limits')
export class RateLimit {
  @PrimaryColumn({ type: 'varchar', length: 255, primaryKeyConstraintName: 'rate_limits_pkey' })
  key!: string;

  @Column({ type: 'int', default: 0 })
  points!: number;

  /** Milliseconds since 1970. */
  @Column({ type: 'bigint', nullable: true })
  expire!: string | null;
}

/** A limit that all processes share, counted in the table `rate_limits`. */
function rateLimiter(dataSource: DataSource, limit: Limit): RateLimiterPostgres {
  return new RateLimiterPostgres({
    storeClient: dataSource,
    storeType: 'typeorm',
    tableName: 'rate_limits',
    tableCreated: true,
    ...limit,
  });
}

/** Counts an attempt. Returns the milliseconds to wait, or null when the limit is not exceeded. */
async function consume(limiter: RateLimiterPostgres, key: string): Promise<number | null> {
  try {
    await limiter.consume(key);
    return null;
  } catch (error) {
    if (!(error instanceof RateLimiterRes)) throw error;
    return error.msBeforeNext;
  }
}
