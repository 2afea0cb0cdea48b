import type { MadeProject, Person } from './factories.js';
import type { Trellis } from './trellis.js';

/** Everybody a rule may tell apart, as they stand to some projects of one owner. */
export const ROLES = [
  'anonymous',
  'stranger',
  'external',
  'blocked',
  'guest',
  'reporter',
  'developer',
  'master',
  'owner',
  'admin',
  'externalMember',
  'groupMember',
  'groupGuest',
  'formerMember',
] as const;

export type Role = (typeof ROLES)[number];

/** One project of each visibility and one person in each role, null for nobody. */
export interface Cast {
  projects: Record<0 | 10 | 20, MadeProject>;
  people: Record<Role, Person | null>;
}

/**
 * Makes projects in a personal namespace with everybody around them: the group they are shared with at
 * level 20 has a master and a guest; the blocked one is a master; the external member a developer.
 */
export async function makeCast(trellis: Trellis): Promise<Cast> {
  const { factories } = trellis;
  const owner = await factories.user();
  const made = (visibilityLevel: number) => factories.project(owner, { visibilityLevel });
  const projects = { 0: await made(0), 10: await made(10), 20: await made(20) };
  const all = Object.values(projects);
  const member = async (level: number, external = false, expiresAt: string | null = null) => {
    const person = await factories.user({ external });
    for (const project of all) await factories.addToProject(project, person, level, expiresAt);
    return person;
  };
  const group = await factories.group(owner);
  for (const project of all) await factories.share(project, group, 20);
  const inGroup = async (level: number) => {
    const person = await factories.user();
    await factories.addToGroup(group, person, level);
    return person;
  };
  const blocked = await member(40);
  await trellis.rows(`UPDATE users SET state = 'blocked' WHERE id = $1`, [blocked.user.id]);
  const people = {
    anonymous: null,
    stranger: await factories.user(),
    external: await factories.user({ external: true }),
    blocked,
    guest: await member(10),
    reporter: await member(20),
    developer: await member(30),
    master: await member(40),
    owner,
    admin: await factories.admin(),
    externalMember: await member(30, true),
    groupMember: await inGroup(40),
    groupGuest: await inGroup(10),
    formerMember: await member(40, false, '2020-01-01'),
  };
  return { projects, people };
}
