import { Injectable } from '@nestjs/common';
import {
  Database,
  hasRoomForRow,
  notDeleted,
  holdUnmodified,
} from '../../../platform/database/index.js';
import { unexpired } from '../../authorization/index.js';
import type { ProjectShare } from '../membership.entities.js';

export type Share = Pick<
  ProjectShare,
  'id' | 'projectId' | 'groupId' | 'groupAccess' | 'expiresAt'
>;

/** A project, and the group that it is shared with. */
export interface SharedBetween {
  projectId: number;
  groupId: number;
  /** Path of the group. */
  groupPath: string;
}

const BETWEEN = `
  l.project_id AS "projectId", l.group_id AS "groupId",
  (SELECT n.path FROM namespaces n WHERE n.id = l.group_id) AS "groupPath"`;

/** The namespace of a project to be shared. */
interface SharedFrom {
  namespaceId: number;
  /** Whether the namespace forbids sharing its projects. */
  locked: boolean;
}

const CHUNK = 500;

@Injectable()
export class SharesRepository {
  constructor(private readonly database: Database) {}

  /** Locks a project against deletion and transfer to the end of the unit of work; null when it is deleted. */
  async holdProject(projectId: number): Promise<SharedFrom | null> {
    const [row] = await this.database.rows<SharedFrom>(
      `SELECT p.namespace_id AS "namespaceId", n.share_with_group_lock AS locked
         FROM projects p JOIN namespaces n ON n.id = p.namespace_id
        WHERE p.id = $1 AND ${notDeleted('p')} FOR SHARE OF p`,
      [projectId],
    );
    return row ?? null;
  }

  /** Locks a group against deletion to the end of the unit of work; false when it is deleted. */
  async holdGroup(groupId: number): Promise<boolean> {
    const rows = await this.database.rows(
      `SELECT 1 FROM namespaces WHERE id = $1 AND ${notDeleted()} FOR SHARE`,
      [groupId],
    );
    return rows.length > 0;
  }

  /** Whether a project may be shared with another group. Needs a unit of work. */
  hasRoom(projectId: number, limit: number): Promise<boolean> {
    const owner = { table: 'project_group_links', column: 'project_id', ownerId: projectId };
    return hasRoomForRow(this.database, owner, limit);
  }

  /** @returns null when the project is shared with the group already */
  async insert({
    projectId,
    groupId,
    groupAccess,
    expiresAt,
  }: Omit<Share, 'id'>): Promise<Share | null> {
    const [row] = await this.database.rows<Share>(
      `INSERT INTO project_group_links (project_id, group_id, group_access, expires_at)
       VALUES ($1, $2, $3, $4) ON CONFLICT (project_id, group_id) DO NOTHING
       RETURNING id, project_id AS "projectId", group_id AS "groupId",
                 group_access AS "groupAccess", expires_at::text AS "expiresAt"`,
      [projectId, groupId, groupAccess, expiresAt],
    );
    return row ?? null;
  }

  /** Removes a share, and returns what it was between; null when there is no such share. */
  async remove(projectId: number, groupId: number): Promise<SharedBetween | null> {
    const where = 'project_id = $1 AND group_id = $2';
    const row = { table: 'project_group_links', column: 'created_at', where } as const;
    await holdUnmodified(this.database, row, [projectId, groupId]);
    const [ended] = await this.database.rows<SharedBetween>(
      `DELETE FROM project_group_links l WHERE project_id = $1 AND group_id = $2
       RETURNING ${BETWEEN}`,
      [projectId, groupId],
    );
    return ended ?? null;
  }

  /** Removes some expired shares, and returns what they were between. */
  removeSomeExpired(): Promise<SharedBetween[]> {
    return this.database.rows(
      `DELETE FROM project_group_links l WHERE id IN (
         SELECT l.id FROM project_group_links l WHERE NOT ${unexpired('l.expires_at')}
          ORDER BY l.expires_at LIMIT $1 FOR UPDATE SKIP LOCKED)
       RETURNING ${BETWEEN}`,
      [CHUNK],
    );
  }
}
