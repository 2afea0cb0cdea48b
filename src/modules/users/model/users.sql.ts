import { checked, rowsByIds, rowsByKey } from '../../../platform/database/index.js';
import { livingUser } from '../../authorization/index.js';

/**
 * A part of FROM: the account with a user name, in any case, unless it is deleted.
 * @param username a parameter, or a column of what stands before, with its alias
 */
export const userByUsername = (username: string): string =>
  rowsByKey('users', 'lower(users.username)', `lower(${username})`, livingUser('users'));

/** As `userByUsername`, by the primary e-mail address, which is in lower case. */
export const userByEmail = (email: string): string =>
  rowsByKey('users', 'users.email', email, livingUser('users'));

/** The condition on an account that other conditions have found. @param user its alias */
export const isLiving = (user: string): string => checked(livingUser(user));

/**
 * A part of FROM: accounts that are not deleted, and the ghost account, which stands for the others.
 * @param ids an array, as an expression
 */
export const authorsById = (ids: string): string => `(
  SELECT * FROM ${rowsByIds('users', ids)} found WHERE found.deleted_at IS NULL
   UNION ALL
  ${GHOST})`;

/** The first condition alone would be taken for half of the table. */
export const GHOST = 'SELECT * FROM users WHERE ghost AND ghost = (SELECT true)';
