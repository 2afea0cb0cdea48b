import { type Cast, makeCast, type Role } from './cast.js';
import { Checkout, remoteOf } from './checkout.js';
import type { Person } from './factories.js';
import type { Trellis } from './trellis.js';

/** A cast whose projects all have one commit, on `master`. */
export interface FilledCast extends Cast {
  head: string;
}

export async function makeFilledCast(trellis: Trellis): Promise<FilledCast> {
  const cast = await makeCast(trellis);
  const owner = cast.people.owner as Person;
  const work = await Checkout.create(trellis, cast.projects[20], owner);
  try {
    const head = await work.commit('First commit');
    for (const project of Object.values(cast.projects)) {
      const remote = remoteOf(trellis, project, owner);
      const { code, stderr } = await work.try('push', remote, 'HEAD:refs/heads/master');
      if (code !== 0) throw new Error(stderr);
    }
    return { ...cast, head };
  } finally {
    await work.remove();
  }
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
