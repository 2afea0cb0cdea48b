import { Injectable } from '@nestjs/common';
import { MAX_ID } from '../../platform/http/index.js';
import { Secrets, verifyPassword } from '../../platform/secrets/index.js';
import { type CallerOnProject, Callers } from '../access/index.js';
import { SettingsService } from '../settings/index.js';
import { CallersOnProjectsRepository } from './callers-on-projects.repository.js';
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

  /** The active account of a user name, or of a primary e-mail, with its password. */
  async byPassword(login: string, password: string): Promise<User | null> {
    const user = await this.findByLogin(login);
    const matches = await verifyPassword(password, user?.passwordHash ?? null);
    return matches ? this.signingIn(user) : null;
  }

  /** As Git over HTTP sends it: the password, or the private token in its place (open points 8.1). */
  async byBasic(login: string, secret: string): Promise<User | null> {
    const user = await this.findByLogin(login);
    if (user !== null && this.secrets.matches(secret, user.privateTokenDigest)) return active(user);
    // One git command sends the same password several times; hashing it slowly each time would
    // cost more than the command.
    if (user !== null && this.verified.has(user, secret)) return this.signingIn(user);
    if (!(await verifyPassword(secret, user?.passwordHash ?? null))) return null;
    if (user !== null) this.verified.add(user, secret);
    return this.signingIn(user);
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

function active(user: User | null): User | null {
  return user?.state === 'active' ? user : null;
}
