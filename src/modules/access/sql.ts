import { Level, Visibility } from './levels.js';
import type { Subject } from './project-access.js';

/**
 * Pieces of SQL that tell who is a member of what (open points 2.1), for statements of this room and
 * of the rooms above. `user` is always a parameter or column that holds a user's ID.
 */

/** Whether a membership or share still gives something. @param expiresAt a column of type date */
export const unexpired = (expiresAt: string): string =>
  `(${expiresAt} IS NULL OR ${expiresAt} > (now() AT TIME ZONE 'UTC')::date)`;

/**
 * Whether an account is there and one of people: the deleted and the ghost are nobody's members.
 * @param user the alias of a row of `users`
 */
export const livingUser = (user: string): string =>
  `${user}.deleted_at IS NULL AND NOT ${user}.ghost`;

/**
 * Whether a membership is that of a group's last owner: no other living owner stays at least as long,
 * where one who is blocked counts too (open points 3.5).
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

/** The IDs of the groups that somebody is a member of. */
export const memberGroupIds = (user: string): string => `
  SELECT gm.group_id FROM group_members gm
   WHERE gm.user_id = ${user} AND ${unexpired('gm.expires_at')}`;

/**
 * What somebody is a member of (`project_id`), and with which level (`access_level`): directly,
 * through the group that owns the project, through a share, or as owner of the personal namespace. A
 * project may come several times, and deleted ones may be among them.
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

/** The IDs of all projects that somebody is a member of; deleted ones may be among them. */
export const memberProjectIds = (user: string): string => `
  SELECT DISTINCT pl.project_id FROM (${projectLevels(user)}) pl`;

/**
 * Whether somebody who is no member of a group may know its members: the group shows by its visibility,
 * or one of its own projects does. One that is shared with it is not enough: sharing with a private group
 * does not publish who is in it.
 * @param group the alias of a row of `namespaces`
 * @param levels a parameter that holds the visibility levels that show to them
 */
export const showsMembers = (group: string, user: string, levels: string): string => `(
  ${group}.visibility_level = ANY(${levels}::int[]) OR EXISTS (
    SELECT 1 FROM projects gp
     WHERE gp.namespace_id = ${group}.id AND gp.deleted_at IS NULL
       AND (gp.visibility_level = ANY(${levels}::int[])
            OR gp.id IN (${memberProjectIds(user)}))))`;

/** The visibility levels that show a project or group to somebody who is no member. */
export function visibleLevels(subject: Subject): number[] {
  if (subject === null || subject.external) return [Visibility.PUBLIC];
  return [Visibility.INTERNAL, Visibility.PUBLIC];
}
