import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/index.js';
import type { Reference } from '../../platform/http/index.js';
import type { GroupAccess, GroupRef, Subject } from './effective-access.js';
import { memberProjectIds, showsMembers, unexpired, visibleLevels } from './memberships.sql.js';
import { Level } from './permissions.js';

interface Row extends GroupRef {
  level: number;
  visible: boolean;
  membersVisible: boolean;
}

/** $1 the user or null, $2 the visibility levels that the user sees; n is the group. */
const VISIBLE = `
  CASE WHEN n.visibility_level = ANY($2::int[]) THEN true
       ELSE EXISTS (
         SELECT 1 FROM projects p
          WHERE p.deleted_at IS NULL
            AND (p.namespace_id = n.id
                 OR p.id IN (SELECT l.project_id FROM project_group_links l
                              WHERE l.group_id = n.id AND ${unexpired('l.expires_at')}))
            AND (p.visibility_level = ANY($2::int[]) OR p.id IN (${memberProjectIds('$1')})))
  END`;

const SELECT = `
  SELECT n.id, n.name, n.path, n.visibility_level AS "visibilityLevel",
         coalesce((SELECT g.access_level FROM group_members g
                    WHERE g.group_id = n.id AND g.user_id = $1 AND ${unexpired('g.expires_at')}),
                  ${String(Level.VISITOR)}) AS level,
         ${VISIBLE} AS visible, ${showsMembers('n', '$1', '$2')} AS "membersVisible"
    FROM namespaces n
   WHERE n.owner_id IS NULL AND n.deleted_at IS NULL AND`;

/** Resolves the access of a caller to a group. Reads tables of upper rooms by SQL only. */
@Injectable()
export class GroupAccessRepository {
  constructor(private readonly database: Database) {}

  /** Finds the access to a group, whether or not it is visible; null when there is no such group. */
  async find(subject: Subject, group: Reference): Promise<GroupAccess | null> {
    const [condition, value] =
      group.by === 'id' ? ['n.id = $3', group.id] : ['lower(n.path) = lower($3)', group.path];
    const [row] = await this.database.rows<Row>(`${SELECT} ${condition}`, [
      subject?.id ?? null,
      visibleLevels(subject),
      value,
    ]);
    if (row === undefined) return null;
    const { level, visible, membersVisible, ...found } = row;
    const effective = subject?.admin === true ? Level.OWNER : level;
    return { group: found, level: effective, visible, membersVisible };
  }
}
