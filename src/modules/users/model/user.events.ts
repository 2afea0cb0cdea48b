import { DomainEvent } from '../../../platform/events/index.js';
import type { User } from './user.entity.js';

/** An account was created; published in the transaction that inserts it. */
@DomainEvent()
export class UserCreated {
  constructor(readonly user: User) {}
}

/** The user name of an account changed; published in the transaction that writes it. */
@DomainEvent()
export class UserRenamed {
  constructor(
    readonly userId: number,
    readonly username: string,
  ) {}
}

/**
 * An account was marked as deleted; published in the transaction that marks it. Subscribers hide at once
 * what belongs to this account alone; the rest is erased by the steps of `AccountErasure`.
 */
@DomainEvent()
export class UserDeleted {
  constructor(readonly userId: number) {}
}
