import { Injectable } from '@nestjs/common';
import { notFound } from '../../platform/errors/index.js';
import { mapPage, type Page, type PageRequest } from '../../platform/http/index.js';
import { CreateUser } from './create-user.js';
import { UpdateUser } from './update-user.js';
import { type DescribedUser, UserDetailsRepository } from './user-details.repository.js';
import type { User } from './user.entity.js';
import type { CreateUserInput, UpdateUserInput } from './user-input.js';
import { type UserFilters, UserListRepository } from './user-list.repository.js';
import { UsersRepository } from './users.repository.js';

@Injectable()
export class UsersService {
  constructor(
    private readonly users: UsersRepository,
    private readonly lists: UserListRepository,
    private readonly details: UserDetailsRepository,
    private readonly creation: CreateUser,
    private readonly changes: UpdateUser,
  ) {}

  /** The accounts that everybody may list, for readers without special rights. */
  list(filters: UserFilters, request: PageRequest): Promise<Page<User>> {
    return this.lists.page(filters, false, request);
  }

  /** The same with all that administrators may know and filter by. */
  async listForAdmin(filters: UserFilters, request: PageRequest): Promise<Page<DescribedUser>> {
    const page = await this.lists.page(filters, true, request);
    const described = await this.details.describeAll(page.items);
    return mapPage(page, (_, index) => described[index] as DescribedUser);
  }

  /** @throws DomainError not found */
  async read(id: number): Promise<User> {
    const user = await this.users.findReadable(id);
    if (user === null) throw notFound('User');
    return user;
  }

  describe(user: User): Promise<DescribedUser> {
    return this.details.describe(user);
  }

  /**
   * Makes an account with its personal namespace.
   * @throws DomainError invalid record, conflict
   */
  create(input: CreateUserInput): Promise<User> {
    return this.creation.run(input);
  }

  /** @throws DomainError not found, invalid record, conflict as not found */
  update(id: number, input: UpdateUserInput): Promise<User> {
    return this.changes.run(id, input);
  }
}
