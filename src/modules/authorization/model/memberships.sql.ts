import { rowById, rowsByKey, rowsWhere, storedAs } from '../../../platform/database/index.js';
import type { Subject } from '../effective-access.js';
import { Level, type Visibility } from '../permissions.js';

/**
 * SQL fragments about memberships, for statements of this room and of the rooms above. `user` is always a
 * parameter or column that holds a user's ID. The rules are those of docs/reference/members.md#access-levels.
 */

/** Whether a membership or share has not expired. @param expiresAt a column of type date */
export const unexpired = (expiresAt: string): string =>
  `(${expiresAt} IS NULL OR ${expiresAt} > (now() AT TIME ZONE 'UTC')::date)`;

/**
 * Whether an account is neither deleted nor the ghost account.
 * @param user the alias of a row of `users`
 */
export const livingUser = (user: string): string =>
  `${user}.deleted_at IS NULL AND NOT ${user}.ghost`;

/**
 * Whether a membership is that of a group's last owner: no other owner stays at least as long. Blocked owners
 * count, deleted ones do not.
 * @param own the alias of a row of `group_members`
 */
export const isLastOwner = (own: string): string => `(
  ${ownsGroup(own)} AND NOT EXISTS (
    SELECT 1 FROM group_members other
      JOIN ${rowById('users', 'other.user_id')} u ON ${livingUser('u')}
     WHERE other.group_id = ${own}.group_id AND other.user_id <> ${own}.user_id
       AND ${ownsGroup('other')}
       AND (other.expires_at IS NULL OR other.expires_at >= ${own}.expires_at)))`;

const ownsGroup = (member: string): string =>
  `${member}.access_level = ${String(Level.OWNER)} AND ${unexpired(`${member}.expires_at`)}`;

/** The IDs of the groups of which the user is a member. */
export const memberGroupIds = (user: string): string => `
  SELECT gm.group_id FROM group_members gm
   WHERE gm.user_id = ${user} AND ${unexpired('gm.expires_at')}`;

/**
 * The highest level of a user on a project by docs/reference/members.md#access-levels, 0 for who is no member. `greatest` ignores
 * the nulls of aggregates without rows.
 * @param project the alias of a row of `projects`
 * @param namespace the alias of the row of its namespace
 */
export const levelOnProject = (project: string, namespace: string, user: string): string => `
  greatest(
    CASE WHEN ${namespace}.owner_id = ${user} THEN ${String(Level.OWNER)} END,
    (SELECT m.access_level FROM project_members m
      WHERE m.project_id = ${project}.id AND m.user_id = ${user} AND ${unexpired('m.expires_at')}),
    (SELECT g.access_level FROM group_members g
      WHERE g.group_id = ${project}.namespace_id AND g.user_id = ${user}
        AND ${unexpired('g.expires_at')}),
    (SELECT max(least(l.group_access, g.access_level))
       FROM project_group_links l
       JOIN ${rowsWhere('group_members', `group_id = l.group_id AND user_id = ${user}`)} g
         ON ${unexpired('g.expires_at')}
       JOIN ${rowById('namespaces', 'l.group_id')} s ON s.deleted_at IS NULL
      WHERE l.project_id = ${project}.id AND NOT ${namespace}.share_with_group_lock
        AND ${unexpired('l.expires_at')}),
    ${String(Level.VISITOR)})`;

/** A part of FROM: the projects in a namespace that are not deleted. @param namespace its ID, as in `rowsByKey` */
export const projectsIn = (namespace: string): string =>
  rowsByKey('projects', 'namespace_id', namespace, 'deleted_at IS NULL');

/** A part of FROM: the project with a path in a namespace, in any case, unless it is deleted. Parameters as in `rowsByKey`. */
export const projectByPath = (namespace: string, path: string): string =>
  rowsByKey(
    'projects',
    'lower(projects.path)',
    `lower(${path})`,
    `projects.namespace_id = ${namespace} AND projects.deleted_at IS NULL`,
  );

/** A part of FROM: the namespace with a path, in any case, unless it is deleted. @param path as in `rowsByKey` */
export const namespaceByPath = (path: string): string =>
  rowsByKey(
    'namespaces',
    'lower(namespaces.path)',
    `lower(${path})`,
    'namespaces.deleted_at IS NULL',
  );

/**
 * The projects of which the user is a member (`project_id`) with the level (`access_level`): directly, through
 * the group that owns the project, through a share, or as owner of the personal namespace. A project may occur
 * several times, and deleted ones may be among them.
 */
export const projectLevels = (user: string): string => `
  SELECT mp.id AS project_id, ${String(Level.OWNER)} AS access_level
    FROM namespaces mn CROSS JOIN ${projectsIn('mn.id')} mp
   WHERE mn.owner_id = ${user}
  UNION ALL
  SELECT mp.id, gm.access_level FROM group_members gm CROSS JOIN ${projectsIn('gm.group_id')} mp
   WHERE gm.user_id = ${user} AND ${unexpired('gm.expires_at')}
  UNION ALL ${sharedLevels(user)}`;

/** As `projectLevels`, for projects of which the user is a member directly or through a share. */
const sharedLevels = (user: string): string => `
  SELECT pm.project_id, pm.access_level FROM project_members pm
   WHERE pm.user_id = ${user} AND ${unexpired('pm.expires_at')}
  UNION ALL
  SELECT pl.project_id, least(pl.group_access, gm.access_level)
    FROM group_members gm
    JOIN ${rowById('namespaces', 'gm.group_id')} sn ON sn.deleted_at IS NULL
    JOIN ${rowsWhere('project_group_links', 'group_id = sn.id')} pl ON ${unexpired('pl.expires_at')}
    JOIN ${rowById('projects', 'pl.project_id')} mp ON true
    JOIN ${rowById('namespaces', 'mp.namespace_id')} mn ON NOT mn.share_with_group_lock
   WHERE gm.user_id = ${user} AND ${unexpired('gm.expires_at')}`;

/**
 * The level of a user on a project as an expression, null if there is no such project.
 * @param projectId a parameter, or a column of what stands before, with its alias
 */
export const levelById = (projectId: string, user: string): string => `(
  SELECT ${levelOnProject('lp', 'ln', user)}
    FROM ${rowById('projects', projectId)} lp
   CROSS JOIN ${rowById('namespaces', 'lp.namespace_id')} ln)`;

/**
 * Joins the project `p` and its namespace `n`, unless they are deleted.
 * @param projectId a column of what stands before, with its alias
 */
export const existingProject = (projectId: string): string => `
  JOIN ${rowById('projects', projectId)} p ON p.deleted_at IS NULL
  JOIN ${rowById('namespaces', 'p.namespace_id')} n ON n.deleted_at IS NULL`;

/**
 * Whether a user sees one of the projects of a group, by its visibility or as a member. It starts from the user's memberships.
 * @param group the alias of a row of `namespaces`
 * @param levels a parameter that holds the visibility levels that the user sees
 */
export const seesProjectOf = (group: string, user: string, levels: string): string => `(
  EXISTS (
    SELECT 1 FROM ${projectsIn(`${group}.id`)} gp
     WHERE gp.visibility_level = ANY(${levels}::int[]) OR EXISTS (
       SELECT 1 FROM group_members gm
        WHERE gm.group_id = ${group}.id AND gm.user_id = ${user} AND ${unexpired('gm.expires_at')}))
  OR EXISTS (
    SELECT 1 FROM (${sharedLevels(user)}) own
      JOIN ${rowById('projects', 'own.project_id')} gp
        ON gp.namespace_id = ${group}.id AND gp.deleted_at IS NULL))`;

/**
 * Whether a user who is not a member of a group may see its members: the user sees the group by its
 * visibility, or sees one of its own projects. A project that is shared with the group is not enough: sharing
 * with a private group does not disclose its members.
 * @param group the alias of a row of `namespaces`
 * @param levels a parameter that holds the visibility levels that the user sees
 */
export const showsMembers = (group: string, user: string, levels: string): string => `(
  ${group}.visibility_level = ANY(${levels}::int[]) OR ${seesProjectOf(group, user, levels)})`;

/**
 * Whether a user who is not a member of a group sees it: by its visibility, or because the user sees one of its own
 * projects or one that is shared with it.
 * @param group the alias of a row of `namespaces`
 * @param levels a parameter that holds the visibility levels that the user sees
 */
export const showsGroup = (group: string, user: string, levels: string): string => `(
  ${showsMembers(group, user, levels)} OR EXISTS (
    SELECT 1 FROM project_group_links gl
      JOIN ${rowById('projects', 'gl.project_id')} gp ON gp.deleted_at IS NULL
      JOIN ${rowById('namespaces', 'gp.namespace_id')} gn ON true
     WHERE gl.group_id = ${group}.id AND ${unexpired('gl.expires_at')}
       AND (gp.visibility_level = ANY(${levels}::int[]) OR ${levelOnProject('gp', 'gn', user)} > 0)))`;

/** How columns store a visibility; a higher level is seen by more users. */
export const VISIBILITY_LEVEL = {
  private: 0,
  internal: 10,
  public: 20,
} as const satisfies Record<Visibility, number>;

/** For columns of entities. */
export const visibilityTransformer = storedAs(VISIBILITY_LEVEL);

/** Selects the visibility of a project or group. @param row the alias of the row */
export const visibilityOf = (row: string): string => {
  const cases = Object.entries(VISIBILITY_LEVEL).map(
    ([name, level]) => `WHEN ${String(level)} THEN '${name}'`,
  );
  return `CASE ${row}.visibility_level ${cases.join(' ')} END`;
};

/** The visibility levels at which a user sees a project or group without being a member. */
export function visibleLevels(subject: Subject): number[] {
  if (subject === null || subject.external) return [VISIBILITY_LEVEL.public];
  return [VISIBILITY_LEVEL.internal, VISIBILITY_LEVEL.public];
}
