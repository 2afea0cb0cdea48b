import { Level } from '../levels.js';
import {
  type ProjectAccess,
  type ProjectRef,
  seesByVisibility,
  type Subject,
} from './project-access.js';
import { unexpired } from '../memberships.sql.js';

/**
 * The highest level by docs/reference/members.md#access-levels. `greatest` ignores the nulls of aggregates
 * without rows.
 */
const EFFECTIVE_LEVEL = `
  greatest(
    CASE WHEN n.owner_id = q.user_id THEN ${String(Level.OWNER)} END,
    (SELECT m.access_level FROM project_members m
      WHERE m.project_id = p.id AND m.user_id = q.user_id AND ${unexpired('m.expires_at')}),
    (SELECT g.access_level FROM group_members g
      WHERE g.group_id = p.namespace_id AND g.user_id = q.user_id
        AND ${unexpired('g.expires_at')}),
    (SELECT max(least(l.group_access, g.access_level))
       FROM project_group_links l
       JOIN namespaces s ON s.id = l.group_id AND s.deleted_at IS NULL
       JOIN group_members g ON g.group_id = s.id AND g.user_id = q.user_id
      WHERE l.project_id = p.id AND NOT n.share_with_group_lock
        AND ${unexpired('l.expires_at')} AND ${unexpired('g.expires_at')}),
    ${String(Level.VISITOR)})`;

/**
 * The columns of a statement that resolves the access of users to projects. It has projects under the alias
 * `p`, their namespaces under `n`, and in `q.user_id` the user, null for an anonymous one.
 */
export const PROJECT_ACCESS = `
  p.id, p.name, p.path, p.namespace_id AS "namespaceId", n.path AS "namespacePath",
  p.visibility_level AS "visibilityLevel", p.archived, p.storage,
  p.repository_state AS "repositoryState", p.default_branch AS "defaultBranch",
  p.issues_enabled AS "issuesEnabled", p.merge_requests_enabled AS "mergeRequestsEnabled",
  EXISTS (SELECT 1 FROM commit_statuses s WHERE s.project_id = p.id) AS "hasStatuses",
  ${EFFECTIVE_LEVEL} AS level`;

/** A row of these columns. */
export interface ProjectRow extends ProjectRef {
  level: number;
}

/**
 * Converts a row, which may have further columns.
 * @param subject the user of the row
 */
export function toProjectAccess(row: ProjectRow, subject: Subject): ProjectAccess {
  return {
    project: {
      id: row.id,
      name: row.name,
      path: row.path,
      namespaceId: row.namespaceId,
      namespacePath: row.namespacePath,
      visibilityLevel: row.visibilityLevel,
      archived: row.archived,
      storage: row.storage,
      repositoryState: row.repositoryState,
      defaultBranch: row.defaultBranch,
      issuesEnabled: row.issuesEnabled,
      mergeRequestsEnabled: row.mergeRequestsEnabled,
      hasStatuses: row.hasStatuses,
    },
    level: subject?.admin === true ? Level.OWNER : row.level,
    visible: seesByVisibility(subject, row.visibilityLevel),
  };
}
