import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { forbidden, notFound } from '../../../platform/errors/index.js';
import { Administrators } from '../administrators.js';
import type { User } from '../user.entity.js';
import { UsersRepository } from '../users.repository.js';

/** Shuts accounts out and lets them in again (specification section 3, open points 2.7). */
@Injectable()
export class UserBlocking {
  constructor(
    private readonly work: UnitOfWork,
    private readonly users: UsersRepository,
    private readonly administrators: Administrators,
  ) {}

  /**
   * @returns false when the account is blocked already
   * @throws DomainError not found; forbidden for oneself, for the last active administrator and for
   * accounts that a directory has blocked
   */
  block(caller: User, id: number): Promise<boolean> {
    return this.work.run(async () => {
      const user = await this.lock(id);
      if (user.id === caller.id) throw forbidden();
      if (user.directoryBlocked) {
        throw forbidden('LDAP blocked users cannot be modified by the API');
      }
      if (user.state === 'blocked') return false;
      if (user.admin && !(await this.administrators.remainWithout(user))) throw forbidden();
      await this.users.update(id, { state: 'blocked' });
      return true;
    });
  }

  /**
   * @returns false when the account is active already
   * @throws DomainError not found; forbidden for accounts that a directory has blocked
   */
  unblock(id: number): Promise<boolean> {
    return this.work.run(async () => {
      const user = await this.lock(id);
      if (user.directoryBlocked) {
        throw forbidden('LDAP blocked users cannot be unblocked by the API');
      }
      if (user.state === 'active') return false;
      await this.users.update(id, { state: 'active' });
      return true;
    });
  }

  private async lock(id: number): Promise<User> {
    const user = await this.users.lock(id);
    if (user === null) throw notFound('User');
    return user;
  }
}
