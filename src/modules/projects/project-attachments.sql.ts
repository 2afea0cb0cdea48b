import { plannedOnce } from '../../platform/database/index.js';
import { Level, projectLevels, unexpired, Visibility } from '../access/index.js';

const membership = (table: string, condition: string): string => `
  (SELECT json_build_object('accessLevel', m.access_level,
                            'notificationLevel', m.notification_level)
     FROM ${table} m
    WHERE ${condition} AND m.user_id = q.reader_id AND ${unexpired('m.expires_at')})`;

/** Without the confidential ones of others, except for those who may read them. */
const OPEN_ISSUES = `
  (SELECT CASE
     WHEN c.opened_confidential = 0 OR q.least_visible = ${String(Visibility.PRIVATE)}
          OR EXISTS (SELECT 1 FROM (${projectLevels('q.reader_id')}) own
                      WHERE own.project_id = q.project_id
                        AND own.access_level >= ${String(Level.REPORTER)})
     THEN c.opened
     ELSE c.opened - c.opened_confidential + (
       SELECT count(*)::int FROM issues i
        WHERE i.project_id = q.project_id AND i.confidential AND i.deleted_at IS NULL
          AND i.state = 'opened'
          AND (i.author_id = q.reader_id OR i.assignee_id = q.reader_id))
     END
   FROM issue_counts c WHERE c.project_id = q.project_id)`;

/**
 * What hangs on projects, one row for each in the order asked: $1 their IDs, $2 who reads each (null is
 * anonymous), $3 the least visibility level that shows other projects to that reader by itself.
 */
export const ATTACHMENTS = `
  SELECT (SELECT coalesce(json_agg(json_build_object(
                   'groupId', l.group_id, 'groupName', s.name, 'groupAccess', l.group_access)
                 ORDER BY l.id), '[]')
            FROM project_group_links l JOIN namespaces s ON s.id = l.group_id
           WHERE l.project_id = q.project_id AND s.deleted_at IS NULL
             AND ${unexpired('l.expires_at')}) AS "sharedWith",
         (SELECT json_build_object('id', f.id, 'name', f.name, 'path', f.path,
                   'namespacePath', s.path, 'namespaceName', coalesce(u.name, s.name))
            FROM fork_links k
            JOIN projects f ON f.id = k.forked_from_project_id AND f.deleted_at IS NULL
            JOIN namespaces s ON s.id = f.namespace_id AND s.deleted_at IS NULL
            LEFT JOIN users u ON u.id = s.owner_id
           WHERE k.forked_to_project_id = q.project_id
             AND (f.visibility_level >= q.least_visible
                  OR EXISTS (SELECT 1 FROM (${projectLevels('q.reader_id')}) own
                              WHERE own.project_id = f.id))) AS "forkedFrom",
         ${membership('project_members', 'm.project_id = q.project_id')} AS "projectMembership",
         ${membership('group_members', 'm.group_id = p.namespace_id')} AS "groupMembership",
         coalesce(${OPEN_ISSUES}, 0) AS "openIssuesCount"
    FROM unnest(${['$1', '$2', '$3'].map((each) => plannedOnce(each, 'int')).join(', ')})
         WITH ORDINALITY AS q (project_id, reader_id, least_visible, position)
    LEFT JOIN projects p ON p.id = q.project_id
   ORDER BY q.position`;
