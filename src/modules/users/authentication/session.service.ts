import { Injectable } from '@nestjs/common';
import { unauthenticated } from '../../../platform/errors/index.js';
import { Secrets } from '../../../platform/secrets/index.js';
import type { User } from '../model/user.entity.js';
import { UsersRepository, type UserWithDetails } from '../model/users.repository.js';
import { AuthenticationService } from './authentication.service.js';
import { PasswordThrottle } from './password-throttle.js';

export interface Session extends UserWithDetails {
  privateToken: string;
}

@Injectable()
export class SessionService {
  constructor(
    private readonly authentication: AuthenticationService,
    private readonly throttle: PasswordThrottle,
    private readonly users: UsersRepository,
    private readonly secrets: Secrets,
  ) {}

  /**
   * Signs in by password. An unknown account, a wrong password and a blocked account differ neither in
   * the response nor in its timing.
   * @param address the client's IP address
   * @throws DomainError unauthenticated, too many requests
   */
  async create(login: string, password: string, address: string): Promise<Session> {
    const attempt = this.throttle.forSession(address);
    const found = await this.authentication.findByPassword(login, password, attempt);
    if (found === null) throw unauthenticated();
    const user = await this.users.recordSignIn(found.id);
    if (user === null) throw unauthenticated();
    return { ...(await this.users.loadDetails(user)), privateToken: this.privateToken(user) };
  }

  /** Decrypts the account's token, for its owner and for administrators who act by `sudo`. */
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

/** The instance key differs from the one that encrypted the stored secrets. */
export class WrongKeyError extends Error {
  override readonly name = 'WrongKeyError';

  constructor(options?: ErrorOptions) {
    super(
      'SECRET_KEY (or DATA_DIR/secret.key) is not the key this database was made with: restore it from a backup.',
      options,
    );
  }
}
