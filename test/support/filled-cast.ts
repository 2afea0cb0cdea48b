import { type Cast, makeCast, type Role } from './cast.js';
import { FIRST_COMMIT } from './checkout.js';
import { pushDirectly } from './direct-push.js';
import type { Person } from './factories.js';
import type { Trellis } from './trellis.js';

const MASTER = 'refs/heads/master';

/** A cast whose projects all have one commit, on `master`. */
export interface FilledCast extends Cast {
  head: string;
}

export async function makeFilledCast(trellis: Trellis): Promise<FilledCast> {
  const cast = await makeCast(trellis);
  const owner = cast.people.owner as Person;
  const { oid: head, objects } = FIRST_COMMIT;
  for (const project of Object.values(cast.projects)) {
    await pushDirectly(trellis, { project, person: owner }, new Map([[MASTER, head]]), objects);
  }
  return { ...cast, head };
}

/** Who sees a project by no more than its visibility. */
const NO_MEMBERS = new Set<Role>(['stranger', 'external', 'formerMember']);
const GUESTS = new Set<Role>(['guest', 'groupGuest']);

/** The status that a role gets from an endpoint that needs `code:read`. */
export function answerOnCode(role: Role, visibility: 0 | 10 | 20): 200 | 401 | 403 | 404 {
  if (role === 'anonymous' || role === 'blocked') return 401;
  if (visibility === 20 || (visibility === 10 && role !== 'external')) return 200;
  if (NO_MEMBERS.has(role)) return 404;
  return GUESTS.has(role) ? 403 : 200;
}
