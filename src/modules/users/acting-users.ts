import { Injectable } from '@nestjs/common';
import { canSee, type ProjectAccess, ProjectAccessRepository } from '../authorization/index.js';
import type { User } from './model/user.entity.js';
import { UsersRepository } from './model/users.repository.js';

/** An account with its effective access to a project. */
interface ActingUser {
  readonly user: User;
  readonly access: ProjectAccess;
}

/**
 * Loads the accounts in whose name something is done that they asked for earlier: a job, or the end of a long
 * push. Blocked and deleted accounts no longer act, and the rights are those of this moment.
 */
@Injectable()
export class ActingUsers {
  constructor(
    private readonly users: UsersRepository,
    private readonly projects: ProjectAccessRepository,
  ) {}

  /** @returns null when the account may not act any more */
  async find(id: number): Promise<User | null> {
    const user = await this.users.findById(id);
    return user?.state === 'active' ? user : null;
  }

  /** @returns null when the account may not act any more, or does not see the project */
  async findOnProject(id: number, projectId: number): Promise<ActingUser | null> {
    const user = await this.find(id);
    if (user === null) return null;
    const access = await this.projects.find(user, { id: projectId });
    return access !== null && canSee(access) ? { user, access } : null;
  }
}
