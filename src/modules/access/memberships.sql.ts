import type { Subject } from './effective-access.js';
import { Level, Visibility } from './permissions.js';

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
    SELECT 1 FROM group_members other JOIN users u ON u.id = other.user_id AND ${livingUser('u')}
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
 * The projects of which the user is a member (`project_id`) with the level (`access_level`): directly, through
 * the group that owns the project, through a share, or as owner of the personal namespace. A project may occur
 * several times, and deleted ones may be among them.
 */
export const projectLevels = (user: string): string => `
  SELECT pm.project_id, pm.access_level FROM project_members pm
   WHERE pm.user_id = ${user} AND ${unexpired('pm.expires_at')}
  UNION ALL
  SELECT mp.id, ${String(Level.OWNER)} FROM projects mp JOIN namespaces mn ON mn.id = mp.namespace_id
   WHERE mn.owner_id = ${user} AND mp.deleted_at IS NULL
  UNION ALL
  SELECT mp.id, gm.access_level FROM projects mp JOIN group_members gm ON gm.group_id = mp.namespace_id
   WHERE gm.user_id = ${user} AND ${unexpired('gm.expires_at')} AND mp.deleted_at IS NULL
  UNION ALL
  SELECT pl.project_id, least(pl.group_access, gm.access_level)
    FROM group_members gm
    JOIN namespaces sn ON sn.id = gm.group_id AND sn.deleted_at IS NULL
    JOIN project_group_links pl ON pl.group_id = sn.id AND ${unexpired('pl.expires_at')}
    JOIN projects mp ON mp.id = pl.project_id
    JOIN namespaces mn ON mn.id = mp.namespace_id AND NOT mn.share_with_group_lock
   WHERE gm.user_id = ${user} AND ${unexpired('gm.expires_at')}`;

/** The IDs of all projects of which the user is a member; deleted ones may be among them. */
export const memberProjectIds = (user: string): string => `
  SELECT DISTINCT pl.project_id FROM (${projectLevels(user)}) pl`;

/**
 * Whether a user who is not a member of a group may see its members: the user sees the group by its
 * visibility, or sees one of its own projects. A project that is shared with the group is not enough: sharing
 * with a private group does not disclose its members.
 * @param group the alias of a row of `namespaces`
 * @param levels a parameter that holds the visibility levels that the user sees
 */
export const showsMembers = (group: string, user: string, levels: string): string => `(
  ${group}.visibility_level = ANY(${levels}::int[]) OR EXISTS (
    SELECT 1 FROM projects gp
     WHERE gp.namespace_id = ${group}.id AND gp.deleted_at IS NULL
       AND (gp.visibility_level = ANY(${levels}::int[])
            OR gp.id IN (${memberProjectIds(user)}))))`;

/**
 * Whether a user who is not a member of a group sees it: by its visibility, or because the user sees one of its own
 * projects or one that is shared with it.
 * @param group the alias of a row of `namespaces`
 * @param levels a parameter that holds the visibility levels that the user sees
 */
export const showsGroup = (group: string, user: string, levels: string): string => `
  CASE WHEN ${group}.visibility_level = ANY(${levels}::int[]) THEN true
       ELSE EXISTS (
         SELECT 1 FROM projects p
          WHERE p.deleted_at IS NULL
            AND (p.namespace_id = ${group}.id
                 OR p.id IN (SELECT l.project_id FROM project_group_links l
                              WHERE l.group_id = ${group}.id AND ${unexpired('l.expires_at')}))
            AND (p.visibility_level = ANY(${levels}::int[]) OR p.id IN (${memberProjectIds(user)})))
  END`;

/** The visibility levels at which a user sees a project or group without being a member. */
export function visibleLevels(subject: Subject): number[] {
  if (subject === null || subject.external) return [Visibility.PUBLIC];
  return [Visibility.INTERNAL, Visibility.PUBLIC];
}
