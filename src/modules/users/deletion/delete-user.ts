import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { type DescribedUser, UserDetailsRepository } from '../user-details.repository.js';
import type { User } from '../user.entity.js';
import { UsersRepository } from '../users.repository.js';
import { DeletionsRepository } from './deletions.repository.js';
import { Disappearance } from './disappearance.js';

/** Deletes accounts as open points 5.15 lays down. */
@Injectable()
export class DeleteUser {
  constructor(
    private readonly work: UnitOfWork,
    private readonly users: UsersRepository,
    private readonly details: UserDetailsRepository,
    private readonly deletions: DeletionsRepository,
    private readonly disappearance: Disappearance,
  ) {}

  /**
   * The account as it was; null when nothing was removed: it is absent, the caller's own, or the only
   * owner of a group.
   */
  async run(caller: User, id: number): Promise<DescribedUser | null> {
    if (caller.id === id) return null;
    return this.work.run(async () => {
      const user = await this.users.lock(id);
      if (user === null || (await this.deletions.isIndispensable(user))) return null;
      const described = await this.details.describe(user);
      await this.disappearance.of(id);
      return described;
    });
  }
}
