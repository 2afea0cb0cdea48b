import type { User, UsersRepository } from '../modules/users/index.js';
import { CommandError } from './errors.js';

/**
 * Finds the account that acts for the operator: the oldest administrator.
 * @throws CommandError if none is active
 */
export async function requireAdministrator(users: UsersRepository): Promise<User> {
  const administrator = await users.findFirstAdministrator();
  if (administrator === null) throw new CommandError('There is no active administrator.');
  return administrator;
}
