import type { Person } from './factories.js';
import type { Trellis } from './trellis.js';

/** A row of memberships as `memberRows` reads it. */
export function memberRow({ user }: Person, level: number, expiresAt: string | null = null) {
  return { user_id: user.id, access_level: level, expires_at: expiresAt };
}

/** What the database knows of the members of a project or group, the oldest account first. */
export function memberRows(
  trellis: Trellis,
  table: 'project_members' | 'group_members',
  { id }: { id: number },
) {
  const parent = table === 'project_members' ? 'project_id' : 'group_id';
  return trellis.rows<ReturnType<typeof memberRow>>(
    `SELECT user_id, access_level, expires_at::text FROM ${table}
      WHERE ${parent} = $1 ORDER BY user_id`,
    [id],
  );
}

/** An event without a target. */
export function eventRow({ user }: Person, action: string) {
  return { author_id: user.id, action, target_type: null, pushed_ref: null };
}

/** The feed of a project, the oldest event first. */
export function eventRows(trellis: Trellis, { id }: { id: number }) {
  return trellis.rows<ReturnType<typeof eventRow>>(
    'SELECT author_id, action, target_type, pushed_ref FROM events WHERE project_id = $1 ORDER BY id',
    [id],
  );
}
