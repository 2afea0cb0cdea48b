import type { Person } from './factories.js';
import type { Trellis } from './trellis.js';

/** Does some work while nobody but these is an administrator. */
export async function withOnlyAdministrators(
  trellis: Trellis,
  people: readonly Person[],
  work: () => Promise<void>,
): Promise<void> {
  const others = await trellis.rows<{ id: number }>(
    'SELECT id FROM users WHERE admin AND id <> ALL($1)',
    [people.map(({ user }) => user.id)],
  );
  const setOthers = (admin: boolean) =>
    trellis.rows('UPDATE users SET admin = $1 WHERE id = ANY($2)', [
      admin,
      others.map(({ id }) => id),
    ]);
  await setOthers(false);
  try {
    await work();
  } finally {
    await setOthers(true);
  }
}
