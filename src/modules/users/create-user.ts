import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../platform/database/index.js';
import { conflict } from '../../platform/errors/index.js';
import { DomainEvents } from '../activity/index.js';
import { Addresses } from './emails/addresses.js';
import { conflictOf, EMAIL_TAKEN } from './user-conflicts.js';
import { UserDrafts } from './user-drafts.js';
import type { User } from './user.entity.js';
import { UserCreated } from './user.events.js';
import type { CreateUserInput, ProfileInput } from './user-input.js';
import { type NewUser, UsersRepository } from './users.repository.js';

/** Makes an account with its personal namespace, or neither (specification 4.8). */
@Injectable()
export class CreateUser {
  constructor(
    private readonly work: UnitOfWork,
    private readonly drafts: UserDrafts,
    private readonly users: UsersRepository,
    private readonly addresses: Addresses,
    private readonly events: DomainEvents,
  ) {}

  /** @throws DomainError invalid record, conflict (open points 4.3) */
  async run(input: CreateUserInput): Promise<User> {
    const draft = await this.drafts.prepare(input);
    try {
      return await this.work.run(() => this.insert(draft, input.identity));
    } catch (error) {
      throw conflictOf(error, conflict);
    }
  }

  private async insert(draft: NewUser, identity: ProfileInput['identity']): Promise<User> {
    if ((await this.addresses.claim(draft.email)) !== null) throw conflict(EMAIL_TAKEN);
    const user = await this.users.insert(draft);
    if (identity !== undefined) await this.users.putIdentity(user.id, identity);
    await this.events.publish(new UserCreated(user));
    return user;
  }
}
