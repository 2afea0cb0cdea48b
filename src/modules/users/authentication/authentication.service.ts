import { createHash, createHmac, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { MAX_ID, UnitOfWork } from '../../../platform/database/index.js';
import { unauthenticated } from '../../../platform/errors/index.js';
import { Secrets, verifyPassword } from '../../../platform/secrets/index.js';
import { type CallerOnProject, Callers } from '../../access/index.js';
import { type SignInMethod, SignIns } from '../../audit/index.js';
import { SettingsService } from '../../settings/index.js';
import type { User } from '../model/user.entity.js';
import { UsersRepository, type UserWithDetails } from '../model/users.repository.js';
import { CallersRepository } from './callers.repository.js';
import { type PasswordAttempt, PasswordThrottle } from './password-throttle.js';

/** For how long a right password is remembered. */
const PASSWORD_LIFETIME_MS = 60_000;
const MAX_PASSWORDS = 1_000;

/** An account that has signed in. */
export interface Session extends UserWithDetails {
  privateToken: string;
}

/** Finds the account behind a credential. Credentials of blocked accounts are refused. */
@Injectable()
export class AuthenticationService implements Callers {
  private readonly verified = new PasswordCache();

  constructor(
    private readonly users: UsersRepository,
    private readonly callers: CallersRepository,
    private readonly throttle: PasswordThrottle,
    private readonly secrets: Secrets,
    private readonly settings: SettingsService,
    private readonly work: UnitOfWork,
    private readonly signIns: SignIns,
  ) {}

  /**
   * Finds the active account of a private token. The look-up goes by a keyed hash, so its timing does
   * not disclose which tokens exist.
   */
  async findByToken(token: string, { withDetails = false } = {}): Promise<User | null> {
    return active(await this.callers.findByTokenDigest(this.secrets.digest(token), withDetails));
  }

  findByTokenOnProject(token: string, projectId: number): Promise<CallerOnProject> {
    return this.callers.findOnProject(this.secrets.digest(token), projectId);
  }

  async findByIdOrUsername(idOrUsername: string): Promise<User | null> {
    if (!/^\d+$/.test(idOrUsername)) return this.users.findByUsername(idOrUsername);
    const id = Number(idOrUsername);
    return id <= MAX_ID ? this.users.findById(id) : null;
  }

  /**
   * Signs in by user name, or primary e-mail, and password. An unknown account, a wrong password and a blocked
   * account differ neither in the response nor in its timing.
   * @param address the client's IP address
   * @throws DomainError unauthenticated, too many requests
   */
  async signIn(login: string, password: string, address: string): Promise<Session> {
    const account = await this.users.findByLogin(login);
    const attempt = this.throttle.forSession(address);
    const matches = await attempt(accountKey(account, login), () =>
      passwordMatches(account, password),
    );
    const allowed = matches ? await this.allowedToSignIn(account) : null;
    const user = allowed && (await this.recordSignIn(allowed, address, 'session'));
    if (user === null) {
      this.signIns.countFailure({ user: account, address, method: 'session' });
      throw unauthenticated();
    }
    return { ...(await this.users.loadDetails(user)), privateToken: this.privateToken(user) };
  }

  /**
   * Signs in by private token, in a form of a browser. Wrong tokens count as wrong passwords of the address.
   * @param address the client's IP address
   * @throws DomainError unauthenticated, too many requests
   */
  async signInByToken(token: string, address: string): Promise<User> {
    const attempt = this.throttle.forSession(address);
    let account: Promise<User | null> | undefined;
    const find = () => (account ??= this.findByToken(token));
    const isKnown = await attempt(this.secrets.digest(token), async () => (await find()) !== null);
    const found = isKnown ? await find() : null;
    const user = found && (await this.recordSignIn(found, address, 'token'));
    if (user === null) {
      this.signIns.countFailure({ user: null, address, method: 'token' });
      throw unauthenticated();
    }
    return user;
  }

  /** Decrypts the account's token, for its owner and for administrators who act by `sudo`. */
  privateToken(user: User): string {
    return this.secrets.open(user.privateTokenSealed);
  }

  /**
   * Finds the active account of a basic credential, as Git over HTTP sends it: with the password, or with
   * the private token in its place.
   * @param address the client's IP address
   * @throws DomainError forbidden, too many requests
   */
  async findByBasicCredential(
    login: string,
    secret: string,
    address: string,
  ): Promise<User | null> {
    const user = await this.users.findByLogin(login);
    const hasToken = user !== null && this.secrets.matches(secret, user.privateTokenDigest);
    const attempt = this.throttle.forBasicAuthentication(address);
    const found = hasToken
      ? active(user)
      : await this.findByBasicPassword(user, login, secret, attempt);
    if (found === null) this.signIns.countFailure({ user, address, method: 'basic' });
    return found;
  }

  /**
   * Whether a basic credential that was accepted earlier is still valid. Compares the stored password hash
   * or token digest with the earlier one, and hashes nothing.
   */
  async isStillValid(earlier: User, secret: string): Promise<boolean> {
    const now = active(await this.users.findById(earlier.id));
    if (now === null) return false;
    if (this.secrets.matches(secret, earlier.privateTokenDigest)) {
      return now.privateTokenDigest === earlier.privateTokenDigest;
    }
    return now.passwordHash === earlier.passwordHash && (await this.allowedToSignIn(now)) !== null;
  }

  /** @returns the account after it; null when it was deleted meanwhile */
  private async recordSignIn(
    account: User,
    address: string,
    method: SignInMethod,
  ): Promise<User | null> {
    const isRepeated = this.signIns.isRepeated({ user: account, address, method });
    const user = await this.work.run(async () => {
      const found = await this.users.recordSignIn(account.id);
      if (found !== null && !isRepeated) {
        await this.signIns.recordFirst({ user: found, address, method });
      }
      return found;
    });
    if (user !== null) this.signIns.countSuccess({ user, address, method }, { isRepeated });
    return user;
  }

  /** The account, unless it may not use a basic credential with its password. */
  private async findByBasicPassword(
    user: User | null,
    login: string,
    secret: string,
    attempt: PasswordAttempt,
  ): Promise<User | null> {
    // One git command sends the same password several times; hashing it slowly each time would
    // cost more than the command.
    if (user !== null && this.verified.has(user, secret)) return this.allowedToSignIn(user);
    const matches = await attempt(accountKey(user, login), async () => {
      // Another request with the same password may have been compared while this one waited.
      if (user !== null && this.verified.has(user, secret)) return true;
      if (!(await passwordMatches(user, secret))) return false;
      if (user !== null) this.verified.add(user, secret);
      return true;
    });
    return matches ? this.allowedToSignIn(user) : null;
  }

  /** Applies `signin_enabled`: while it is off, only administrators sign in by password. */
  private async allowedToSignIn(user: User | null): Promise<User | null> {
    const known = active(user);
    if (known === null || known.admin) return known;
    const { signinEnabled } = await this.settings.current();
    return signinEnabled ? known : null;
  }
}

function passwordMatches(user: User | null, password: string): Promise<boolean> {
  return verifyPassword(password, user?.passwordHash ?? null);
}

/** The key of an account's counters. A login of any length is hashed to the length of a key. */
function accountKey(user: User | null, login: string): string {
  if (user !== null) return String(user.id);
  return createHash('sha256').update(login.toLowerCase()).digest('hex');
}

function active(user: User | null): User | null {
  return user?.state === 'active' ? user : null;
}

/**
 * Remembers for a minute that a password was right, as an HMAC under a random key of this process. The
 * stored password hash is part of the HMAC, so changing the password invalidates its entry at once.
 */
class PasswordCache {
  private readonly key = randomBytes(32);
  private readonly entries = new LRUCache<string, true>({
    max: MAX_PASSWORDS,
    ttl: PASSWORD_LIFETIME_MS,
  });

  has(user: User, password: string): boolean {
    return this.entries.has(this.entry(user, password));
  }

  add(user: User, password: string): void {
    this.entries.set(this.entry(user, password), true);
  }

  private entry(user: User, password: string): string {
    return createHmac('sha256', this.key)
      .update(JSON.stringify([user.id, user.passwordHash, password]))
      .digest('base64');
  }
}
