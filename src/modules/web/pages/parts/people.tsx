import type { VNode } from 'preact';
import type { SummarizedUser } from '../../../users/index.js';
import { Link } from '../../html/components.js';

/** The account to which what deleted users wrote is attributed; it has no page. */
const GHOST = 'ghost';

export function Person({
  user,
}: {
  readonly user: Pick<SummarizedUser, 'name' | 'username'>;
}): VNode {
  if (user.username === GHOST) return <>{user.name}</>;
  return <Link to={`/${user.username}`}>{user.name}</Link>;
}

/** Several people in their order; `none` without any. */
export const People = ({
  users,
}: {
  readonly users: readonly Pick<SummarizedUser, 'name' | 'username'>[];
}): VNode =>
  users.length === 0 ? (
    <>none</>
  ) : (
    <>
      {users.map((user, index) => (
        <>
          {index > 0 && ', '}
          <Person user={user} />
        </>
      ))}
    </>
  );
