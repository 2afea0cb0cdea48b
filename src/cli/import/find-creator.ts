import type { Namespace } from '../../modules/groups/index.js';
import type { User, UsersRepository } from '../../modules/users/index.js';

/** Finds the account that creates a project in a namespace: in a personal one its owner, otherwise the importing user. */
export async function findCreator(
  users: UsersRepository,
  { ownerId }: Namespace,
  importer: User,
): Promise<User> {
  const owner = ownerId === null ? null : await users.findById(ownerId);
  return owner ?? importer;
}
