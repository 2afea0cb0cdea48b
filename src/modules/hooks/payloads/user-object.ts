import { Injectable } from '@nestjs/common';
import { type User, UserPresenter, UsersRepository } from '../../users/index.js';

/** Tells of people in the form that receivers know (open points 7.2). */
@Injectable()
export class UserObjects {
  constructor(
    private readonly users: UsersRepository,
    private readonly presenter: UserPresenter,
  ) {}

  /** By ID; the ghost in the place of a deleted account. */
  async find(...ids: readonly (number | null)[]): Promise<ReadonlyMap<number, User>> {
    return this.users.findAuthors(ids.filter((id) => id !== null));
  }

  user(user: User): object {
    const { name, username, avatar_url } = this.presenter.summary(user);
    return { name, username, avatar_url };
  }

  /** A property of that name, left out where nobody is assigned. */
  assignee(people: ReadonlyMap<number, User>, id: number | null): { assignee?: object } {
    const assignee = people.get(id ?? 0);
    return assignee === undefined || assignee.ghost ? {} : { assignee: this.user(assignee) };
  }
}
