import { DomainEvent } from '../activity/index.js';
import type { User } from './user.entity.js';

/** An account was made; published in the transaction that inserts it. */
@DomainEvent()
export class UserCreated {
  constructor(readonly user: User) {}
}

/** An account has another user name; published in the transaction that writes it. */
@DomainEvent()
export class UserRenamed {
  constructor(
    readonly userId: number,
    readonly username: string,
  ) {}
}

/**
 * An account is gone for every reader; published in the transaction that marks it deleted.
 * Subscribers hide at once what belongs to it alone; the rest is the work of `AccountErasure`.
 */
@DomainEvent()
export class UserDeleted {
  constructor(readonly userId: number) {}
}
