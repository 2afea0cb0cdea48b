import {
  type EntityColumns,
  opaqueArray,
  rowById,
  rowsByIds,
} from '../../../platform/database/index.js';
import {
  Level,
  livingUser,
  levelById,
  unexpired,
  VISIBILITY_LEVEL,
} from '../../authorization/index.js';
import type { Namespace } from '../../groups/index.js';
import { SUMMARY_COLUMNS, type User } from '../../users/index.js';
import type { Project } from './project.entity.js';

const membership = (table: string, condition: string): string => `
  (SELECT json_build_object('accessLevel', m.access_level,
                            'notificationLevel', m.notification_level)
     FROM ${table} m
    WHERE ${condition} AND m.user_id = q.reader_id AND ${unexpired('m.expires_at')})`;

/** Counts the confidential issues of others only for readers who may read them. */
const OPEN_ISSUES = `
  (SELECT CASE
     WHEN c.opened_confidential = 0 OR q.least_visible = ${String(VISIBILITY_LEVEL.private)}
          OR ${levelById('q.project_id', 'q.reader_id')} >= ${String(Level.REPORTER)}
     THEN c.opened
     ELSE c.opened - c.opened_confidential + (
       SELECT count(*)::int FROM issues i
        WHERE q.reader_id IS NOT NULL
          AND i.project_id = q.project_id AND i.confidential AND i.deleted_at IS NULL
          AND i.state = 'opened'
          AND (i.author_id = q.reader_id
               OR i.assignee_ids <> '{}' AND i.assignee_ids @> ARRAY[q.reader_id]))
     END
   FROM issue_counts c WHERE c.project_id = q.project_id)`;

/**
 * The relations of a project (`p`) as a reader sees them. Of `q`: `project_id`; `reader_id`, null when anonymous;
 * `least_visible`, the lowest visibility level of the projects that the reader sees without being a member.
 */
const RELATIONS = `
         (SELECT coalesce(json_agg(json_build_object(
                   'groupId', l.group_id, 'groupName', s.name, 'groupPath', s.path,
                   'groupAccess', l.group_access, 'expiresAt', l.expires_at,
                   'isVisible', s.visibility_level >= q.least_visible OR EXISTS (
                     SELECT FROM group_members m
                      WHERE m.group_id = s.id AND m.user_id = q.reader_id
                        AND ${unexpired('m.expires_at')}))
                 ORDER BY l.id), '[]')
            FROM project_group_links l
            JOIN ${rowById('namespaces', 'l.group_id')} s ON s.deleted_at IS NULL
           WHERE l.project_id = q.project_id AND ${unexpired('l.expires_at')}) AS "sharedWith",
         (SELECT json_build_object('id', f.id, 'name', f.name, 'path', f.path,
                   'namespacePath', s.path, 'namespaceName', coalesce(u.name, s.name))
            FROM fork_links k
            JOIN ${rowById('projects', 'k.forked_from_project_id')} f ON f.deleted_at IS NULL
            JOIN ${rowById('namespaces', 'f.namespace_id')} s ON s.deleted_at IS NULL
            LEFT JOIN ${rowById('users', 's.owner_id')} u ON true
           WHERE k.forked_to_project_id = q.project_id
             AND (f.visibility_level >= q.least_visible
                  OR ${levelById('f.id', 'q.reader_id')} > 0)) AS "forkedFrom",
         ${membership('project_members', 'm.project_id = q.project_id')} AS "projectMembership",
         ${membership('group_members', 'm.group_id = p.namespace_id')} AS "groupMembership",
         coalesce(${OPEN_ISSUES}, 0) AS "openIssuesCount"`;

/** Selects the short forms of projects. $1: their IDs. */
export const BRIEF_PROJECTS = `
  SELECT p.id, p.name, p.path, n.path AS "namespacePath", coalesce(u.name, n.name) AS "namespaceName"
    FROM ${rowsByIds('projects', '$1::int[]')} p
    JOIN ${rowById('namespaces', 'p.namespace_id')} n ON true
    LEFT JOIN ${rowById('users', 'n.owner_id')} u ON true`;

export const OWNER_COLUMNS = [...SUMMARY_COLUMNS, 'createdAt'] as const satisfies (keyof User)[];

/** The columns of the owner of a personal namespace. */
export type ProjectOwner = Pick<User, (typeof OWNER_COLUMNS)[number]>;

/** The columns that are read of projects, their namespaces and owners. */
export interface ProjectColumns {
  projects: EntityColumns<Project>;
  namespaces: EntityColumns<Namespace>;
  owners: EntityColumns<ProjectOwner>;
}

/**
 * Selects projects with their relations, each as a reader sees it, with `position`, from 1, in the given order; the other
 * columns are prefixed by `project.`, `namespace.` and `owner.`. Leaves out deleted projects.
 * @param $1 IDs of projects @param $2 IDs of the readers @param $3 the lowest visibility levels that these see
 */
export const projectsOfReaders = ({ projects, namespaces, owners }: ProjectColumns): string => `
  SELECT q.position::int, ${projects.list('p', 'project.')}, ${namespaces.list('n', 'namespace.')},
         ${owners.list('o', 'owner.')}, ${RELATIONS}
    FROM unnest(${['$1', '$2', '$3'].map((each) => opaqueArray(each, 'int')).join(', ')})
         WITH ORDINALITY AS q (project_id, reader_id, least_visible, position)
    JOIN ${rowById('projects', 'q.project_id')} p ON p.deleted_at IS NULL
    JOIN ${rowById('namespaces', 'p.namespace_id')} n ON true
    LEFT JOIN ${rowById('users', 'n.owner_id')} o ON ${livingUser('o')}
   ORDER BY q.position`;
