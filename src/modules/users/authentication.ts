import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { MAX_ID } from '../../platform/http/index.js';
import { Secrets, verifyPassword } from '../../platform/secrets/index.js';
import { type CallerOnProject, Callers } from '../access/index.js';
import { SettingsService } from '../settings/index.js';
import { CallersOnProjectsRepository } from './callers-on-projects.repository.js';
import type { PasswordAttempt } from './password-attempts.js';
import { PasswordCache } from './password-cache.js';
import type { User } from './user.entity.js';
import { UsersRepository } from './users.repository.js';

/** Who a credential belongs to. Blocked accounts belong to nobody (open points 2.7). */
@Injectable()
export class Authentication implements Callers {
  constructor(
    private readonly users: UsersRepository,
    private readonly onProjects: CallersOnProjectsRepository,
    private readonly secrets: Secrets,
    private readonly verified: PasswordCache,
    private readonly settings: SettingsService,
  ) {}

  /**
   * The active account of a private token. The look-up goes by a keyed hash, so its timing tells
   * nothing of the tokens that exist.
   */
  async byToken(token: string): Promise<User | null> {
    return active(await this.users.findByTokenDigest(this.secrets.digest(token)));
  }

  byTokenOnProject(token: string, projectId: number): Promise<CallerOnProject> {
    return this.onProjects.find(this.secrets.digest(token), projectId);
  }

  async byIdOrUsername(idOrUsername: string): Promise<User | null> {
    if (!/^\d+$/.test(idOrUsername)) return this.users.findByUsername(idOrUsername);
    const id = Number(idOrUsername);
    return id <= MAX_ID ? this.users.findById(id) : null;
  }

  /**
   * The active account of a user name, or of a primary e-mail, with its password.
   * @throws what `attempt` throws
   */
  async byPassword(
    login: string,
    password: string,
    attempt: PasswordAttempt,
  ): Promise<User | null> {
    const user = await this.findByLogin(login);
    const matches = await attempt(accountKey(user, login), () => passwordMatches(user, password));
    return matches ? this.signingIn(user) : null;
  }

  /**
   * As Git over HTTP sends it: the password, or the private token in its place.
   * @throws what `attempt` throws
   */
  async byBasic(login: string, secret: string, attempt: PasswordAttempt): Promise<User | null> {
    const user = await this.findByLogin(login);
    if (user !== null && this.secrets.matches(secret, user.privateTokenDigest)) return active(user);
    // One git command sends the same password several times; hashing it slowly each time would
    // cost more than the command.
    if (user !== null && this.verified.has(user, secret)) return this.signingIn(user);
    const matches = await attempt(accountKey(user, login), async () => {
      // Another request with the same password may have been compared while this one waited.
      if (user !== null && this.verified.has(user, secret)) return true;
      if (!(await passwordMatches(user, secret))) return false;
      if (user !== null) this.verified.add(user, secret);
      return true;
    });
    return matches ? this.signingIn(user) : null;
  }

  /**
   * Whether what `byBasic` took still lets its holder in. Nothing is hashed for it: the stored password or
   * token is compared with what was stored then.
   */
  async isStillValid(earlier: User, secret: string): Promise<boolean> {
    const now = active(await this.users.findById(earlier.id));
    if (now === null) return false;
    if (this.secrets.matches(secret, earlier.privateTokenDigest)) {
      return now.privateTokenDigest === earlier.privateTokenDigest;
    }
    return now.passwordHash === earlier.passwordHash && (await this.signingIn(now)) !== null;
  }

  /** Whoever may come in by password: administrators alone while sign-in is off (open points 09). */
  private async signingIn(user: User | null): Promise<User | null> {
    const known = active(user);
    if (known === null || known.admin) return known;
    const { signinEnabled } = await this.settings.current();
    return signinEnabled ? known : null;
  }

  private findByLogin(login: string): Promise<User | null> {
    return login.includes('@') ? this.users.findByEmail(login) : this.users.findByUsername(login);
  }
}

function passwordMatches(user: User | null, password: string): Promise<boolean> {
  return verifyPassword(password, user?.passwordHash ?? null);
}

/** A login may be of any length, the key of a counter may not. */
function accountKey(user: User | null, login: string): string {
  if (user !== null) return String(user.id);
  return createHash('sha256').update(login.toLowerCase()).digest('hex');
}

function active(user: User | null): User | null {
  return user?.state === 'active' ? user : null;
}
