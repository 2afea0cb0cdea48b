import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/index.js';
import { Level } from './levels.js';
import {
  type ProjectAccess,
  type ProjectRef,
  seesByVisibility,
  type Subject,
} from './project-access.js';
import type { ProjectIdentifier } from './project-path.js';

interface Row extends ProjectRef {
  level: number;
}

const SELECT = `
  SELECT p.id, p.name, p.path, p.namespace_id AS "namespaceId", n.path AS "namespacePath",
         p.visibility_level AS "visibilityLevel", p.archived, p.storage,
         p.default_branch AS "defaultBranch",
         greatest(
           CASE WHEN n.owner_id = $1 THEN ${String(Level.OWNER)} END,
           (SELECT m.access_level FROM project_members m
             WHERE m.project_id = p.id AND m.user_id = $1
               AND (m.expires_at IS NULL OR m.expires_at > (now() AT TIME ZONE 'UTC')::date)),
           0) AS level
    FROM projects p JOIN namespaces n ON n.id = p.namespace_id
   WHERE p.deleted_at IS NULL AND`;

/** Resolves a caller on a project with one statement. Reads tables of upper rooms, by SQL only. */
@Injectable()
export class ProjectAccessRepository {
  constructor(private readonly database: Database) {}

  /** Null when there is no such project; whether the caller may see it is the caller's business. */
  async find(subject: Subject, identifier: ProjectIdentifier): Promise<ProjectAccess | null> {
    const [condition, parameters] =
      'id' in identifier
        ? ['p.id = $2', [identifier.id]]
        : [
            'lower(n.path) = lower($2) AND lower(p.path) = lower($3)',
            [identifier.namespace, identifier.path],
          ];
    const [row] = await this.database.rows<Row>(`${SELECT} ${condition}`, [
      subject?.id ?? null,
      ...parameters,
    ]);
    return row === undefined ? null : toAccess(row, subject);
  }
}

function toAccess({ level, ...project }: Row, subject: Subject): ProjectAccess {
  return {
    project,
    level: subject?.admin === true ? Level.OWNER : level,
    visible: seesByVisibility(subject, project.visibilityLevel),
  };
}
