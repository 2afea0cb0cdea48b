import { Injectable } from '@nestjs/common';
import { Database, rowById } from '../../../platform/database/index.js';
import {
  boundedCount,
  Page,
  type PageRequest,
  windowOf,
} from '../../../platform/pagination/index.js';
import { existingProject, unexpired } from '../../authorization/index.js';

/** A direct membership of a user. */
export interface UserMembership {
  readonly sourceId: number;
  /** The name of the project or group. */
  readonly sourceName: string;
  readonly source: 'group' | 'project';
  readonly accessLevel: number;
}

/** The direct memberships of users in projects and groups. */
@Injectable()
export class UserMembershipsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Lists those of a user that have not expired, the oldest first.
   * @param source only those in groups, or in projects
   */
  async list(
    userId: number,
    source: UserMembership['source'] | undefined,
    request: PageRequest,
  ): Promise<Page<UserMembership>> {
    const { offset, limit } = windowOf(request);
    const parameters = [userId, source ?? null];
    const rows = await this.database.rows<UserMembership>(
      `SELECT "sourceId", "sourceName", source, "accessLevel" ${MEMBERSHIPS}
        ORDER BY created_at, source, "sourceId" OFFSET $3 LIMIT $4`,
      [...parameters, offset, limit],
    );
    const counted = await boundedCount(this.database, `SELECT 1 ${MEMBERSHIPS}`, parameters);
    return Page.cut(rows, counted, request);
  }
}

/** @param $1 the user @param $2 the kind of source; null for both */
const MEMBERSHIPS = `
  FROM (
    SELECT m.project_id AS "sourceId", p.name AS "sourceName", 'project' AS source,
           m.access_level AS "accessLevel", m.created_at
      FROM project_members m ${existingProject('m.project_id')}
     WHERE m.user_id = $1 AND ${unexpired('m.expires_at')}
    UNION ALL
    SELECT m.group_id, n.name, 'group', m.access_level, m.created_at
      FROM group_members m
      JOIN ${rowById('namespaces', 'm.group_id')} n ON n.deleted_at IS NULL
     WHERE m.user_id = $1 AND ${unexpired('m.expires_at')}
  ) membership
 WHERE $2::text IS NULL OR source = $2::text`;
