import type { Statements } from '../../../platform/database/index.js';
import type { User } from './user.entity.js';

/** Finds the oldest account, null when there is none at all. */
export async function findFirstUser(
  statements: Statements,
): Promise<Pick<User, 'privateTokenSealed'> | null> {
  const [first] = await statements.rows<Pick<User, 'privateTokenSealed'>>(
    `SELECT private_token_sealed AS "privateTokenSealed" FROM users
      WHERE NOT ghost AND deleted_at IS NULL ORDER BY id LIMIT 1`,
  );
  return first ?? null;
}
