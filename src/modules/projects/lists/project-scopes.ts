import {
  Level,
  memberProjectIds,
  projectLevels,
  type Subject,
  unexpired,
  visibleLevels,
} from '../../access/index.js';

/** Notes a value as a parameter of the statement being written and answers its placeholder. */
export type Bind = (value: unknown) => string;

/**
 * Which projects a list is about, as conditions on the table alias `p`. No project fits two of them:
 * each is looked up and counted by itself, so that each can go by its own index.
 * @param level the one visibility level that the list is narrowed to by a further condition
 */
export type ProjectScope = (bind: Bind, level?: number) => string[];

/** Every project of the instance. */
export const allProjects: ProjectScope = () => ['true'];

/** Those somebody is a member of: directly, by group or share, or in the personal namespace. */
export const memberProjects =
  (userId: number): ProjectScope =>
  (bind) => [`p.id IN (${memberProjectIds(bind(userId))})`];

/**
 * Those somebody is a member of and those their visibility shows to them
 * (docs/reference/projects.md#lists).
 */
export function visibleProjects(subject: Subject): ProjectScope {
  const levels = visibleLevels(subject);
  return (bind, level) => {
    const shown = `p.visibility_level IN (${levels.join(', ')})`;
    // A part that can hold nothing would be searched to its end.
    if (level !== undefined && levels.includes(level)) return ['true'];
    if (subject === null) return [shown];
    const own = `p.id IN (${memberProjectIds(bind(subject.id))})`;
    return level === undefined ? [shown, `NOT ${shown} AND ${own}`] : [own];
  };
}

/** Those somebody may read: the visible ones, for administrators all. */
export function readableProjects(subject: Subject): ProjectScope {
  return subject?.admin === true ? allProjects : visibleProjects(subject);
}

/**
 * The same for lists that are short to begin with: each project is looked at by itself, instead of
 * gathering all that somebody is a member of.
 */
export function readableOneByOne(subject: Subject): ProjectScope {
  if (subject === null || subject.admin) return readableProjects(subject);
  const shown = `p.visibility_level IN (${visibleLevels(subject).join(', ')})`;
  return (bind) => [
    `${shown} OR EXISTS (
       SELECT 1 FROM (${projectLevels(bind(subject.id))}) own WHERE own.project_id = p.id)`,
  ];
}

/** Those in somebody's personal namespace and in groups that they own. */
export const ownedProjects =
  (userId: number): ProjectScope =>
  (bind) => {
    const user = bind(userId);
    return [
      `p.namespace_id IN (
         SELECT n.id FROM namespaces n WHERE n.owner_id = ${user}
          UNION ALL
         SELECT g.group_id FROM group_members g
          WHERE g.user_id = ${user} AND g.access_level = ${String(Level.OWNER)}
            AND ${unexpired('g.expires_at')})`,
    ];
  };

/** Those somebody has starred, whether they can still read them or not. */
export const starredProjects =
  (userId: number): ProjectScope =>
  (bind) => [
    `p.id IN (SELECT s.project_id FROM project_stars s WHERE s.user_id = ${bind(userId)})`,
  ];

/** Those of a group: its own and those shared with it. */
export const groupProjects =
  (groupId: number): ProjectScope =>
  (bind) => [...ownGroupProjects(groupId)(bind), ...sharedGroupProjects(groupId)(bind)];

/** Those that lie in a group. */
const ownGroupProjects =
  (groupId: number): ProjectScope =>
  (bind) => [`p.namespace_id = ${bind(groupId)}`];

/** Those of other namespaces that are shared with a group. */
const sharedGroupProjects =
  (groupId: number): ProjectScope =>
  (bind) => {
    const group = bind(groupId);
    return [
      `p.namespace_id <> ${group} AND p.id IN (
         SELECT l.project_id FROM project_group_links l
          WHERE l.group_id = ${group} AND ${unexpired('l.expires_at')})`,
    ];
  };

/** What is in both scopes. */
export const both =
  (one: ProjectScope, other: ProjectScope): ProjectScope =>
  (bind, level) => {
    const others = other(bind, level);
    return one(bind, level).flatMap((first) =>
      others.map((second) => `(${first}) AND (${second})`),
    );
  };
