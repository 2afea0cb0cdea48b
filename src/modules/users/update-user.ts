import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../platform/database/index.js';
import { conflictAsNotFound, invalidRecord, notFound } from '../../platform/errors/index.js';
import { hashPassword } from '../../platform/secrets/index.js';
import { DomainEvents } from '../activity/index.js';
import { Administrators } from './administrators.js';
import { Addresses } from './emails/addresses.js';
import { conflictOf, EMAIL_TAKEN } from './user-conflicts.js';
import type { User } from './user.entity.js';
import { UserRenamed } from './user.events.js';
import type { UpdateUserInput } from './user-input.js';
import { cleaned, userErrors } from './user.rules.js';
import { type UserChanges, UsersRepository } from './users.repository.js';

/** Modifies an account (specification 4.8); conflicts are answered with 404 (section 7). */
@Injectable()
export class UpdateUser {
  constructor(
    private readonly work: UnitOfWork,
    private readonly users: UsersRepository,
    private readonly addresses: Addresses,
    private readonly administrators: Administrators,
    private readonly events: DomainEvents,
  ) {}

  /** @throws DomainError not found, invalid record, conflict as not found */
  async run(id: number, given: UpdateUserInput): Promise<User> {
    if ((await this.users.findById(id)) === null) throw notFound('User');
    const input = cleaned(given);
    const errors = userErrors(input);
    if (Object.keys(errors).length > 0) throw invalidRecord(errors);
    // Slow on purpose, so before anything is locked.
    const hash = input.password === undefined ? undefined : await hashPassword(input.password);
    try {
      return await this.work.run(() => this.write(id, input, hash));
    } catch (error) {
      throw conflictOf(error, conflictAsNotFound);
    }
  }

  private async write(
    id: number,
    input: UpdateUserInput,
    passwordHash: string | undefined,
  ): Promise<User> {
    const user = await this.users.lock(id);
    if (user === null) throw notFound('User');
    await this.checkAdministrator(user, input);
    await this.moveAddress(user, input.email);
    const updated = await this.users.update(id, changesOf(user, input, passwordHash));
    if (input.identity !== undefined) await this.users.putIdentity(id, input.identity);
    if (input.username !== undefined && input.username !== user.username) {
      await this.events.publish(new UserRenamed(id, input.username));
    }
    return updated;
  }

  /** Own rule of open points 5.15: somebody has to be left who can administer. */
  private async checkAdministrator(user: User, { admin }: UpdateUserInput): Promise<void> {
    if (admin !== false || !user.admin || (await this.administrators.remainWithout(user))) return;
    throw invalidRecord({ admin: ['cannot be removed from the last administrator'] });
  }

  /** An own secondary address swaps places with the primary one (open points 5.15). */
  private async moveAddress(user: User, address: string | undefined): Promise<void> {
    if (address === undefined || address === user.email) return;
    const use = await this.addresses.claim(address);
    if (use === null) return;
    const { userId, emailId } = use;
    if (userId !== user.id || emailId === null) throw conflictAsNotFound(EMAIL_TAKEN);
    await this.addresses.replace(emailId, user.email);
  }
}

/** What is undefined stays as it is; external accounts have no quota and make no groups (2.2). */
function changesOf(
  user: User,
  { password, identity, ...input }: UpdateUserInput,
  passwordHash: string | undefined,
): UserChanges {
  const external = input.external ?? user.external;
  const forced = external ? { projectsLimit: 0, canCreateGroup: false } : {};
  const changes = { ...input, passwordHash, ...forced };
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
}
