import { Injectable } from '@nestjs/common';
import { Database, notDeleted } from '../../../platform/database/index.js';
import {
  boundedCount,
  Page,
  type PageRequest,
  windowOf,
} from '../../../platform/pagination/index.js';
import {
  levelById,
  livingUser,
  memberGroupIds,
  ProjectAccessRepository,
  showsMembers,
  type Subject,
  unexpired,
  visibleLevels,
} from '../../authorization/index.js';
import { MembersRepository, userMatches } from './members.repository.js';
import { type User, UsersRepository } from '../../users/index.js';

/**
 * The active users with access to a project. $1: ID of the project; $2: a search, or null; $3: ID of the reader;
 * $4: the visibility levels that the reader sees. Members of groups that the project is shared with are left out
 * when the reader may not see them; null for $4 includes all.
 * @param byEmail whether the search finds e-mail addresses
 */
const users = (byEmail: boolean): string => `
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
           JOIN namespaces s ON s.id = l.group_id AND ${notDeleted('s')}
           JOIN group_members g ON g.group_id = s.id AND ${unexpired('g.expires_at')}
          WHERE p.id = $1
            AND ($4::int[] IS NULL OR s.id IN (${memberGroupIds('$3')})
                 OR ${showsMembers('s', '$3', '$4')}))
   AND ${livingUser('u')} AND u.state = 'active' AND ${userMatches('u', '$2', byEmail)}`;

/** Direct members of projects, and the users with access in any way. */
@Injectable()
export class ProjectMembersRepository extends MembersRepository {
  constructor(
    database: Database,
    users: UsersRepository,
    private readonly projects: ProjectAccessRepository,
  ) {
    super(database, users, { name: 'project_members', sourceColumn: 'project_id' });
  }

  /** Locks a project against deletion to the end of the unit of work; false when it is deleted. */
  holdProject(projectId: number): Promise<boolean> {
    return this.projects.hold(projectId);
  }

  /** Whether the project is in the personal namespace of this user. */
  async isPersonalOwner(projectId: number, userId: number): Promise<boolean> {
    const rows = await this.database.rows(
      `SELECT 1 FROM projects p JOIN namespaces n ON n.id = p.namespace_id
        WHERE p.id = $1 AND n.owner_id = $2`,
      [projectId, userId],
    );
    return rows.length > 0;
  }

  /** Lists the IDs of users with access for a member, in ascending order; none for a user who is no member. */
  async listUserIdsForMember(
    projectId: number,
    memberId: number,
    limit: number,
  ): Promise<number[]> {
    const rows = await this.database.rows<{ id: number }>(
      `SELECT u.id ${users(false)} AND ${levelById('$1', '$3')} > 0 ORDER BY u.id LIMIT $5`,
      [projectId, null, memberId, null, limit],
    );
    return rows.map(({ id }) => id);
  }

  /** Lists the users with access, the newest account first; blocked accounts are left out. */
  async listUsers(
    projectId: number,
    reader: NonNullable<Subject>,
    search: string | undefined,
    request: PageRequest,
  ): Promise<Page<User>> {
    const levels = reader.admin ? null : visibleLevels(reader);
    const parameters = [projectId, search ?? null, reader.id, levels];
    const { offset, limit } = windowOf(request);
    const from = users(reader.admin);
    const rows = await this.database.rows<{ id: number }>(
      `SELECT u.id ${from} ORDER BY u.id DESC OFFSET $5 LIMIT $6`,
      [...parameters, offset, limit],
    );
    const counted = await boundedCount(this.database, `SELECT 1 ${from}`, parameters);
    const listed = rows.length === 0 ? [] : await this.users.findByIds(rows.map(({ id }) => id));
    return Page.cut(
      listed.sort((a, b) => b.id - a.id),
      counted,
      request,
    );
  }
}
