import { atLines } from './at-lines.js';
import type { Cast, Role } from './cast.js';
import type { Client } from './client.js';
import type { MadeProject } from './factories.js';
import type { Trellis } from './trellis.js';

const VISIBILITIES = [0, 10, 20] as const;

export type CastVisibility = (typeof VISIBILITIES)[number];

/** Who has at least reporter's, or master's, rights in a cast. */
export const MASTERS: ReadonlySet<Role> = new Set(['master', 'owner', 'admin']);
export const REPORTERS: ReadonlySet<Role> = new Set([
  ...MASTERS,
  ...(['reporter', 'developer', 'externalMember', 'groupMember'] as const),
]);

/** Those who see a project by no more than its visibility. */
const NO_MEMBERS: ReadonlySet<Role> = new Set(['stranger', 'external', 'formerMember']);

/** What somebody of a cast is answered; without `able`, whoever sees the project may. */
export function answerFor(
  role: Role,
  visibility: CastVisibility,
  able?: ReadonlySet<Role>,
): 200 | 401 | 403 | 404 {
  if (role === 'anonymous' || role === 'blocked') return 401;
  const isShown = visibility === 20 || (visibility === 10 && role !== 'external');
  if (NO_MEMBERS.has(role) && !isShown) return 404;
  return able === undefined || able.has(role) ? 200 : 403;
}

/** By ascending rights. */
const ASCENDING: readonly Role[] = [
  ...(['anonymous', 'stranger', 'guest', 'reporter', 'developer'] as const),
  ...(['master', 'owner', 'admin'] as const),
];

/**
 * Calls on each project of a cast as the weakest roles that are admitted and the strongest that are refused, and
 * compares the statuses with the expected ones. The contract tests of the permission table call every route as the others.
 */
export async function expectByRole(
  trellis: Trellis,
  { projects, people }: Cast,
  call: (client: Client, project: MadeProject) => PromiseLike<{ status: number }>,
  able?: ReadonlySet<Role>,
): Promise<void> {
  for (const visibility of VISIBILITIES) {
    for (const role of atLines(ASCENDING, (one) => answerFor(one, visibility, able))) {
      const person = people[role];
      const client = person === null ? trellis.anonymous : trellis.as(person);
      const { status } = await call(client, projects[visibility]);
      const expected = answerFor(role, visibility, able);
      expect({ visibility, role, status }).toEqual({ visibility, role, status: expected });
    }
  }
}
