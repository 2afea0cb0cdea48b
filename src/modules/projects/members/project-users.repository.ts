import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';
import { boundedCount, Page, type PageRequest, windowOf } from '../../../platform/http/index.js';
import {
  livingUser,
  memberGroupIds,
  showsMembers,
  type Subject,
  unexpired,
  visibleLevels,
} from '../../access/index.js';
import { userMatches } from '../../groups/index.js';
import { type User, UsersRepository } from '../../users/index.js';

/**
 * Everybody with a level on project $1 by whatever way; $2 a search. Members of
 * groups that it is shared with are left out where user $3 may not know them, who sees the visibility
 * levels $4; none is where $4 is null.
 */
const USERS = `
  FROM users u
 WHERE u.id IN (
         SELECT n.owner_id FROM projects p JOIN namespaces n ON n.id = p.namespace_id
          WHERE p.id = $1
         UNION
         SELECT m.user_id FROM project_members m
          WHERE m.project_id = $1 AND ${unexpired('m.expires_at')}
         UNION
         SELECT g.user_id FROM projects p JOIN group_members g ON g.group_id = p.namespace_id
          WHERE p.id = $1 AND ${unexpired('g.expires_at')}
         UNION
         SELECT g.user_id
           FROM projects p
           JOIN namespaces n ON n.id = p.namespace_id AND NOT n.share_with_group_lock
           JOIN project_group_links l ON l.project_id = p.id AND ${unexpired('l.expires_at')}
           JOIN namespaces s ON s.id = l.group_id AND s.deleted_at IS NULL
           JOIN group_members g ON g.group_id = s.id AND ${unexpired('g.expires_at')}
          WHERE p.id = $1
            AND ($4::int[] IS NULL OR s.id IN (${memberGroupIds('$3')})
                 OR ${showsMembers('s', '$3', '$4')}))
   AND ${livingUser('u')} AND u.state = 'active' AND ${userMatches('u', '$2')}`;

/** Who has access to a project through whatever it may be (`GET /projects/:id/users`). */
@Injectable()
export class ProjectUsersRepository {
  constructor(
    private readonly database: Database,
    private readonly users: UsersRepository,
  ) {}

  /** The lowest IDs of them. */
  async ids(projectId: number, limit: number): Promise<number[]> {
    const rows = await this.database.rows<{ id: number }>(
      `SELECT u.id ${USERS} ORDER BY u.id LIMIT $5`,
      [projectId, null, null, null, limit],
    );
    return rows.map(({ id }) => id);
  }

  /** Blocked accounts have no access and are left out; the newest account first. */
  async list(
    projectId: number,
    reader: NonNullable<Subject>,
    search: string | undefined,
    request: PageRequest,
  ): Promise<Page<User>> {
    const levels = reader.admin ? null : visibleLevels(reader);
    const given = [projectId, search ?? null, reader.id, levels];
    const { offset, limit } = windowOf(request);
    const rows = await this.database.rows<{ id: number }>(
      `SELECT u.id ${USERS} ORDER BY u.id DESC OFFSET $5 LIMIT $6`,
      [...given, offset, limit],
    );
    const counted = await boundedCount(this.database, `SELECT 1 ${USERS}`, given);
    const users = rows.length === 0 ? [] : await this.users.findByIds(rows.map(({ id }) => id));
    return Page.cut(
      users.sort((a, b) => b.id - a.id),
      counted,
      request,
    );
  }
}
