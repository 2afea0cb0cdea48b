import { createHash, createHmac, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { MAX_ID, UnitOfWork } from '../../../platform/database/index.js';
import { unauthenticated } from '../../../platform/errors/index.js';
import { clientNetwork } from '../../../platform/limits/index.js';
import { Secrets, verifyPassword } from '../../../platform/secrets/index.js';
import { type CallerOnProject, Callers } from '../../authorization/index.js';
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

/** The client of a request that signs in. */
export interface SignInClient {
  /** IP address. */
  readonly address: string;
  /** Aborted when it has disconnected. */
  readonly gone?: AbortSignal | undefined;
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
   * @throws DomainError unauthenticated, too many requests
   * @throws ClientDisconnectedError
   */
  async signIn(login: string, password: string, client: SignInClient): Promise<Session> {
    const { address } = client;
    const account = await this.users.findByLogin(login);
    const credential = { account, login, password };
    const matches = await this.comparePassword(
      credential,
      client,
      this.throttle.forSession(address),
    );
    const allowed = matches ? await this.stillAllowedToSignIn(account) : null;
    const user = allowed && (await this.recordSignIn(allowed, address, 'session'));
    if (user === null) {
      this.signIns.countFailure({ user: account, address, method: 'session' });
      throw unauthenticated();
    }
    return { ...(await this.users.loadDetails(user)), privateToken: this.privateToken(user) };
  }

  /**
   * Signs in by private token, in a form of a browser. Wrong tokens count as wrong passwords of the address.
   * @throws DomainError unauthenticated, too many requests
   * @throws ClientDisconnectedError
   */
  async signInByToken(token: string, { address, gone }: SignInClient): Promise<User> {
    const attempt = this.throttle.forSession(address);
    let account: Promise<User | null> | undefined;
    const find = () => (account ??= this.findByToken(token));
    const verify = async (): Promise<boolean> => (await find()) !== null;
    const isKnown = await attempt(this.secrets.digest(token), verify, { gone });
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
   * Finds the active account of a basic credential, as Git over HTTP sends it: a user name or e-mail with the password, or
   * any user name with a private token, which decides whose account it is (docs/reference/git.md#http).
   * @throws DomainError forbidden, too many requests
   * @throws ClientDisconnectedError
   */
  async findByBasicCredential(
    login: string,
    secret: string,
    client: SignInClient,
  ): Promise<User | null> {
    const { address } = client;
    const [owner, named] = await Promise.all([
      this.callers.findByTokenDigest(this.secrets.digest(secret), false),
      this.users.findByLogin(login),
    ]);
    const found =
      owner === null ? await this.findByBasicPassword(named, login, secret, client) : active(owner);
    if (found === null) {
      this.signIns.countFailure({ user: owner ?? named, address, method: 'basic' });
    }
    return found;
  }

  /**
   * Whether a basic credential that was accepted earlier is still valid. Compares the stored password hash
   * or token digest with the earlier one, and hashes nothing.
   */
  async isStillValid(earlier: User, secret: string): Promise<boolean> {
    if (this.secrets.matches(secret, earlier.privateTokenDigest)) {
      const now = active(await this.users.findById(earlier.id));
      return now?.privateTokenDigest === earlier.privateTokenDigest;
    }
    return (await this.stillAllowedToSignIn(earlier)) !== null;
  }

  /**
   * Finds an account whose password was right earlier as it is now. Comparing passwords may have to wait for a minute.
   * @returns null when it has another password, or may not sign in by password
   */
  private async stillAllowedToSignIn(earlier: User | null): Promise<User | null> {
    const now = earlier && (await this.users.findById(earlier.id));
    return now?.passwordHash === earlier?.passwordHash ? this.allowedToSignIn(now) : null;
  }

  /** @returns the account after it; null when it was blocked or deleted or got another password or token meanwhile */
  private async recordSignIn(
    account: User,
    address: string,
    method: SignInMethod,
  ): Promise<User | null> {
    const isRepeated = this.signIns.isRepeated({ user: account, address, method });
    const user = await this.work.run(async () => {
      const found = await this.users.recordSignIn(account);
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
    client: SignInClient,
  ): Promise<User | null> {
    const { address } = client;
    // One git command sends the same password several times; not even the limits are looked up each time.
    if (this.verified.has(user, secret, address)) return this.allowedToSignIn(user);
    const credential = { account: user, login, password: secret };
    const attempt = this.throttle.forBasicAuthentication(address);
    return (await this.comparePassword(credential, client, attempt))
      ? this.stillAllowedToSignIn(user)
      : null;
  }

  /** Whether a password is that of the account; remembers it if so. */
  private comparePassword(
    { account, login, password }: PasswordCredential,
    { address, gone }: SignInClient,
    attempt: PasswordAttempt,
  ): Promise<boolean> {
    const compare = async (): Promise<boolean> => {
      if (!(await verifyPassword(password, account?.passwordHash ?? null))) return false;
      if (account !== null) this.verified.add(account, password, address);
      return true;
    };
    const isRemembered = (): boolean => this.verified.has(account, password, address);
    return attempt(accountKey(account, login), compare, { isRemembered, gone });
  }

  /** Applies `signin_enabled`: while it is off, only administrators sign in by password. */
  private async allowedToSignIn(user: User | null): Promise<User | null> {
    const known = active(user);
    if (known === null || known.admin) return known;
    const { signinEnabled } = await this.settings.current();
    return signinEnabled ? known : null;
  }
}

interface PasswordCredential {
  /** Null where the login is that of no account. */
  readonly account: User | null;
  readonly login: string;
  readonly password: string;
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
 * stored password hash is part of the HMAC, so changing the password invalidates its entry at once. So is the network
 * of the client: elsewhere, what is remembered cannot be found by guessing.
 */
class PasswordCache {
  private readonly key = randomBytes(32);
  private readonly entries = new LRUCache<string, true>({
    max: MAX_PASSWORDS,
    ttl: PASSWORD_LIFETIME_MS,
  });

  has(user: User | null, password: string, address: string): boolean {
    return user !== null && this.entries.has(this.entry(user, password, address));
  }

  add(user: User, password: string, address: string): void {
    this.entries.set(this.entry(user, password, address), true);
  }

  private entry(user: User, password: string, address: string): string {
    return createHmac('sha256', this.key)
      .update(JSON.stringify([user.id, user.passwordHash, password, clientNetwork(address)]))
      .digest('base64');
  }
}
