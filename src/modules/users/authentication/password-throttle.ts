import { BlockList, isIPv6 } from 'node:net';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import { Column, DataSource, Entity, PrimaryColumn } from 'typeorm';
import {
  ClientDisconnectedError,
  type DomainError,
  forbidden,
  tooManyRequests,
} from '../../../platform/errors/index.js';
import {
  clientNetwork,
  FairSlots,
  type ReleaseSlot,
  SlotsTakenError,
} from '../../../platform/limits/index.js';
import { exceededBudgets } from '../../../platform/metrics/index.js';

const SECOND = 1000;

/**
 * Comparisons of passwords that a process makes at once. Each takes a thread of libuv's pool of four for a
 * third of a second, and files are read by the same threads. A hundred people of one address that sign in at once wait
 * for a quarter of a minute, and a minute on a busy machine. Those that wait hold half of `API_REQUESTS` at most.
 */
export const PASSWORD_HASHES = {
  name: 'password_hashes',
  total: 2,
  perUser: Number.POSITIVE_INFINITY,
  perAddress: 2,
  waitMs: 60 * SECOND,
  waiting: 512,
};

/**
 * What an address gets of these while passwords are guessed: after more wrong passwords than right ones from all addresses,
 * and from this one.
 */
export const DOUBTED_PASSWORDS = {
  perAddress: 1,
  waitMs: 3 * SECOND,
  /** Wrong passwords of a minute from which on there may be guessing. */
  leastWrong: 10,
};

/** Wrong passwords after which no more are compared; points, and seconds for which they count. */
const FAILED_PASSWORDS = {
  ofAddress: { points: 10, duration: 60 },
  /** From all addresses together. */
  ofAccount: { points: 60, duration: 60 },
  /** For how long an address is shut out of basic authentication. */
  shutOutSeconds: 3_600,
  /** For how long an address that signed in to an account is not counted as a stranger's. */
  knownAddressSeconds: 30 * 24 * 3_600,
};

interface AttemptOptions {
  /** Whether the password is known to be right, so that it need not be compared. */
  readonly isRemembered?: () => boolean;
  /** Aborted when the client has disconnected; it waits for no comparison then. */
  readonly gone?: AbortSignal | undefined;
}

/**
 * Runs one comparison of a password with that of an account.
 * @param account key of the account, or of the login where there is no such account
 * @returns what `verify` returns; true for a remembered password
 * @throws DomainError where the attempt is refused
 * @throws ClientDisconnectedError
 */
export type PasswordAttempt = (
  account: string,
  verify: () => Promise<boolean>,
  options?: AttemptOptions,
) => Promise<boolean>;

/** The most addresses whose right and wrong passwords of the last minute are counted. */
const MAX_ADDRESSES = 10_000;
/** The key of the counts of all addresses together. */
const ALL_ADDRESSES = '*';

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
 * Addresses share the comparisons that are made at once, since the threads that hash are those that read files. Wrong
 * passwords are counted, for the address and for the account, in all processes together. An address close to its limit has one
 * comparison at a time, so that a burst counts like a sequence. An account under attack stays open to addresses
 * that signed in to it lately. Loopback clients wait for a slot like others, and are not counted. The
 * limits are listed in docs/decisions/0016-sign-in-throttle.md.
 */
@Injectable()
export class PasswordThrottle {
  private readonly recent = new RecentPasswords();
  private readonly slots = new FairSlots(PASSWORD_HASHES, (address) => this.limitsOf(address));
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
    const network = clientNetwork(address);
    return async (account, verify, { isRemembered = () => false, gone } = {}) => {
      const counted = isLoopback(address) ? null : { network, account, limit };
      // Before the wait, too, so that an address that is refused takes no place in the line.
      if (counted !== null) await this.assertAllowed(counted);
      if (isRemembered()) return true;
      const release = await this.acquireSlot(address, gone);
      try {
        // Another attempt with the same password may have been compared meanwhile.
        if (isRemembered()) return true;
        if (counted !== null) await this.assertAllowed(counted);
        const matches = await verify();
        this.recent.add(network, matches);
        if (counted !== null) await this.count(counted, matches);
        return matches;
      } finally {
        release();
        this.slots.reviewWaits();
      }
    };
  }

  /** Too many attempts, of this caller or of others, are refused with 429: the process is not overloaded. */
  private async acquireSlot(address: string, gone: AbortSignal | undefined): Promise<ReleaseSlot> {
    try {
      return await this.slots.acquire({ address }, gone);
    } catch (error) {
      if (error instanceof SlotsTakenError) throw tooManyRequests(error.retryAfterSeconds);
      throw gone?.aborted === true ? new ClientDisconnectedError() : error;
    }
  }

  /** @throws DomainError when the limit of the address or of the account is reached */
  private async assertAllowed({ network, account, limit }: Attempt): Promise<void> {
    const { failures, refusal } = limit;
    const [ofAddress, ofAccount] = await Promise.all([
      failures.get(network),
      this.ofAccount.get(account),
    ]);
    if (isReached(ofAddress, failures)) {
      // Counted as well, which shuts the address out where the limit does.
      throw exceeded(refusal((await consume(failures, network)) ?? ofAddress.msBeforeNext));
    }
    if (!isReached(ofAccount, this.ofAccount)) return;
    if ((await this.signedIn.get(pairOf(account, network))) !== null) return;
    throw exceeded(tooManyRequests(ofAccount.msBeforeNext / 1000));
  }

  private async count({ network, account, limit }: Attempt, matches: boolean): Promise<void> {
    if (matches) {
      const seconds = FAILED_PASSWORDS.knownAddressSeconds;
      await this.signedIn.set(pairOf(account, network), 1, seconds);
    } else {
      // Each by one: the limiter shuts an address out by the point that is the first beyond its limit.
      await Promise.all([consume(limit.failures, network), consume(this.ofAccount, account)]);
    }
  }

  private limitsOf(network: string): { perAddress?: number; waitMs?: number } {
    if (this.recent.isDoubted(network)) return DOUBTED_PASSWORDS;
    // Those under way may all be wrong.
    const mayExceed =
      this.recent.of(network).wrong + PASSWORD_HASHES.total > FAILED_PASSWORDS.ofAddress.points;
    return mayExceed ? { perAddress: 1 } : {};
  }
}

/** An attempt that is counted when the password is wrong. */
interface Attempt {
  readonly network: string;
  readonly account: string;
  readonly limit: AddressLimit;
}

interface PasswordCounts {
  right: number;
  wrong: number;
}

/** How many passwords of each address were right and wrong within a minute, compared by this process. */
class RecentPasswords {
  private readonly counts = new LRUCache<string, PasswordCounts>({
    max: MAX_ADDRESSES,
    ttl: FAILED_PASSWORDS.ofAddress.duration * 1_000,
  });

  of(network: string): Readonly<PasswordCounts> {
    return this.counts.get(network) ?? { right: 0, wrong: 0 };
  }

  add(network: string, matches: boolean): void {
    for (const key of [network, ALL_ADDRESSES]) {
      const counts = this.counts.get(key) ?? { right: 0, wrong: 0 };
      counts[matches ? 'right' : 'wrong'] += 1;
      if (!this.counts.has(key)) this.counts.set(key, counts);
    }
  }

  /** Whether passwords are guessed, possibly by this address. */
  isDoubted(network: string): boolean {
    const all = this.of(ALL_ADDRESSES);
    if (all.wrong < DOUBTED_PASSWORDS.leastWrong || all.wrong <= all.right) return false;
    const { right, wrong } = this.of(network);
    return wrong >= right;
  }
}

const pairOf = (account: string, network: string): string => `${account}/${network}`;

function isReached(
  counted: RateLimiterRes | null,
  { points }: RateLimiterPostgres,
): counted is RateLimiterRes {
  return counted !== null && counted.consumedPoints >= points;
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
