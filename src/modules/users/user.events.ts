import type { User } from './user.entity.js';

/** An account was made; published in the transaction that inserts it. */
export class UserCreated {
  constructor(readonly user: User) {}
}
