import { Injectable } from '@nestjs/common';
import { unauthenticated } from '../../platform/errors/index.js';
import { Secrets } from '../../platform/secrets/index.js';
import { Authentication } from './authentication.js';
import { SignInThrottle } from './sign-in-throttle.js';
import { type DescribedUser, UserDetailsRepository } from './user-details.repository.js';
import type { User } from './user.entity.js';
import { UsersRepository } from './users.repository.js';

export interface Session extends DescribedUser {
  privateToken: string;
}

@Injectable()
export class SessionService {
  constructor(
    private readonly authentication: Authentication,
    private readonly throttle: SignInThrottle,
    private readonly users: UsersRepository,
    private readonly details: UserDetailsRepository,
    private readonly secrets: Secrets,
  ) {}

  /**
   * Signs in by password (open points 3.1). Unknown account, wrong password and blocked account
   * are told apart neither by the answer nor by its timing.
   * @param address the client's IP address
   * @throws DomainError unauthenticated, too many requests
   */
  async create(login: string, password: string, address: string): Promise<Session> {
    const attempt = this.throttle.from(address);
    const found = await this.authentication.byPassword(login, password, attempt);
    if (found === null) throw unauthenticated();
    const user = await this.users.recordSignIn(found.id);
    if (user === null) throw unauthenticated();
    return { ...(await this.details.describe(user)), privateToken: this.privateToken(user) };
  }

  /** The account's token in the clear: shown to its owner and to an administrator by `sudo`. */
  privateToken(user: User): string {
    return this.secrets.open(user.privateTokenSealed);
  }

  /** @throws WrongKeyError when the account's secrets cannot be read with the instance key */
  checkKey(user: User): void {
    try {
      this.privateToken(user);
    } catch (error) {
      throw new WrongKeyError({ cause: error });
    }
  }
}

/** The instance key is not the one that the stored secrets were made under. */
export class WrongKeyError extends Error {
  override readonly name = 'WrongKeyError';

  constructor(options?: ErrorOptions) {
    super(
      'SECRET_KEY (or DATA_DIR/secret.key) is not the key this database was made with: restore it from a backup.',
      options,
    );
  }
}
