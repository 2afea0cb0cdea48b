import { Injectable } from '@nestjs/common';
import { Database, plannedOnce } from '../../../platform/database/index.js';
import {
  allows,
  Level,
  type ProjectAccess,
  projectLevels,
  type Subject,
  visibleLevels,
} from '../../access/index.js';
import type { Place } from './issue-list.js';

/** Finds the projects whose issues a list may show; those without issues are none. */
@Injectable()
export class IssuePlaces {
  constructor(private readonly database: Database) {}

  /** The project that the reader asks for. */
  ofProject(access: ProjectAccess): Place[] {
    const { id, issuesEnabled } = access.project;
    const place = { projectId: id, insider: allows(access, 'issue:read-confidential') };
    return issuesEnabled ? [place] : [];
  }

  /** The group's own projects that are not archived, as far as the reader sees them. */
  ofGroup(groupId: number, reader: NonNullable<Subject>): Promise<Place[]> {
    return this.database.rows(OF_GROUP, [groupId, ...parametersOf(reader)]);
  }

  /** The projects in which the reader has written issues, as far as they still see them. */
  ofAuthor(reader: NonNullable<Subject>): Promise<Place[]> {
    return this.database.rows(OF_AUTHOR, parametersOf(reader));
  }
}

const parametersOf = (reader: NonNullable<Subject>): unknown[] => [
  reader.id,
  reader.admin,
  visibleLevels(reader),
];

/** @param user @param admin @param levels parameters */
const visible = (user: string, admin: string, levels: string): string => `
  JOIN namespaces n ON n.id = p.namespace_id AND n.deleted_at IS NULL
  LEFT JOIN (
    SELECT levels.project_id, max(levels.access_level) AS level
      FROM (${projectLevels(user)}) levels GROUP BY levels.project_id) member
    ON member.project_id = p.id
 WHERE p.deleted_at IS NULL AND p.issues_enabled
   AND (${admin} OR p.visibility_level = ANY(${plannedOnce(levels, 'int')})
        OR member.level IS NOT NULL)`;

const OF_GROUP = `
  SELECT p.id AS "projectId",
         $3 OR coalesce(member.level, 0) >= ${String(Level.REPORTER)} AS insider
    FROM projects p ${visible('$2', '$3', '$4')}
     AND p.namespace_id = $1 AND NOT p.archived`;

// From project to project of the author's, however many issues there are in each.
const OF_AUTHOR = `
  WITH RECURSIVE authored AS (
    SELECT min(i.project_id) AS project_id FROM issues i WHERE i.author_id = $1
    UNION ALL
    SELECT (SELECT min(i.project_id) FROM issues i
             WHERE i.author_id = $1 AND i.project_id > authored.project_id)
      FROM authored WHERE authored.project_id IS NOT NULL)
  SELECT p.id AS "projectId", true AS insider
    FROM authored JOIN projects p ON p.id = authored.project_id ${visible('$1', '$2', '$3')}`;
