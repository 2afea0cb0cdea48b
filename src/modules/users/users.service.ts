import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../platform/database/index.js';
import { hashPassword, randomToken, Secrets } from '../../platform/secrets/index.js';
import { DomainEvents } from '../activity/index.js';
import { SettingsService } from '../settings/index.js';
import type { User } from './user.entity.js';
import { UserCreated } from './user.events.js';
import { UsersRepository } from './users.repository.js';

export interface CreateUserInput {
  username: string;
  name: string;
  email: string;
  password: string;
  /** Made at random when absent. */
  privateToken?: string;
  admin?: boolean;
  external?: boolean;
  canCreateGroup?: boolean;
  /** The instance's setting when absent. */
  projectsLimit?: number;
}

@Injectable()
export class UsersService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly users: UsersRepository,
    private readonly settings: SettingsService,
    private readonly events: DomainEvents,
    private readonly secrets: Secrets,
  ) {}

  /** Makes an account with its personal namespace; an external one gets no quota (open points 2.2). */
  async create(input: CreateUserInput): Promise<User> {
    const passwordHash = await hashPassword(input.password);
    const token = input.privateToken ?? randomToken();
    return this.work.run(async () => {
      const external = input.external ?? false;
      const limit = input.projectsLimit ?? (await this.settings.current()).defaultProjectsLimit;
      const user = await this.users.insert({
        username: input.username,
        name: input.name,
        email: input.email.toLowerCase(),
        passwordHash,
        privateTokenDigest: this.secrets.digest(token),
        privateTokenSealed: this.secrets.seal(token),
        projectsLimit: external ? 0 : limit,
        canCreateGroup: !external && (input.canCreateGroup ?? true),
        admin: input.admin ?? false,
        external,
        confirmedAt: new Date(),
      });
      await this.events.publish(new UserCreated(user));
      return user;
    });
  }
}
