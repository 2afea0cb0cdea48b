import type { User } from './user.entity.js';

/**
 * One of the accounts that `UsersRepository.findAuthors` found: the ghost in the place of a deleted one.
 * @throws Error (a fault) for an account that was asked for and has nobody in its place
 */
export function authorOf(authors: ReadonlyMap<number, User>, id: number): User {
  const author = authors.get(id);
  if (author === undefined) throw new Error(`Nobody stands for user ${String(id)}`);
  return author;
}
