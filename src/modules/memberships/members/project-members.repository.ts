import { Injectable } from '@nestjs/common';
import { Database, notDeleted, rowById } from '../../../platform/database/index.js';
import {
  boundedCount,
  Page,
  type PageRequest,
  windowOf,
} from '../../../platform/pagination/index.js';
import {
  Level,
  levelById,
  livingUser,
  memberGroupIds,
  ProjectAccessRepository,
  showsMembers,
  type Subject,
  unexpired,
  visibleLevels,
} from '../../authorization/index.js';
import type { Member } from './member.rules.js';
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

const IS_PERSONAL_OWNER = `EXISTS (
  SELECT 1 FROM projects op JOIN namespaces own ON own.id = op.namespace_id
   WHERE op.id = m.project_id AND own.owner_id = m.user_id)`;

/**
 * The memberships by which users have access to a project, expired ones left out, with those of groups that the reader may
 * not see left out, too. $1: ID of the project; $2: ID of the reader; $3: the visibility levels that the reader sees; null
 * includes all. The owner of a personal namespace has one of level 50 since the project exists.
 * @param user a parameter; the memberships of all users without it
 */
const memberships = (user?: string): string => {
  const isAsked = (column: string): string => (user === undefined ? '' : `AND ${column} = ${user}`);
  return `
  SELECT n.owner_id AS user_id, ${String(Level.OWNER)} AS access_level, NULL::date AS expires_at,
         p.created_at, true AS is_personal_owner
    FROM projects p CROSS JOIN ${rowById('namespaces', 'p.namespace_id')} n
   WHERE p.id = $1 AND n.owner_id IS NOT NULL ${isAsked('n.owner_id')}
  UNION ALL
  SELECT m.user_id, m.access_level, m.expires_at, m.created_at, false
    FROM project_members m
   WHERE m.project_id = $1 AND ${unexpired('m.expires_at')} ${isAsked('m.user_id')}
  UNION ALL
  SELECT g.user_id, g.access_level, g.expires_at, g.created_at, false
    FROM projects p JOIN group_members g ON g.group_id = p.namespace_id
   WHERE p.id = $1 AND ${unexpired('g.expires_at')} ${isAsked('g.user_id')}
  UNION ALL
  SELECT g.user_id, least(l.group_access, g.access_level), g.expires_at, g.created_at, false
    FROM projects p
    JOIN ${rowById('namespaces', 'p.namespace_id')} n ON NOT n.share_with_group_lock
    JOIN project_group_links l ON l.project_id = p.id AND ${unexpired('l.expires_at')}
    JOIN ${rowById('namespaces', 'l.group_id')} s ON s.deleted_at IS NULL
    JOIN group_members g ON g.group_id = s.id AND ${unexpired('g.expires_at')} ${isAsked('g.user_id')}
   WHERE p.id = $1
     AND ($3::int[] IS NULL OR s.id IN (${memberGroupIds('$2')}) OR ${showsMembers('s', '$2', '$3')})`;
};

/** The highest membership of each user whose account is not deleted. */
const highestOf = (all: string): string => `
  FROM (SELECT DISTINCT ON (every.user_id) every.* FROM (${all}) every
         ORDER BY every.user_id, every.access_level DESC, every.expires_at DESC NULLS FIRST) m
  JOIN users u ON u.id = m.user_id AND ${livingUser('u')}`;

/** $1 to $3 as above; $4: a search, or null. */
const searchedMemberships = (byEmail: boolean): string =>
  `${highestOf(memberships())} WHERE ${userMatches('u', '$4', byEmail)}`;

const HIGHEST_COLUMNS = `m.user_id AS "userId", m.access_level AS "accessLevel",
  m.expires_at::text AS "expiresAt", m.created_at AS "createdAt",
  m.is_personal_owner AS "isPersonalOwner"`;

/** Direct members of projects, and the users with access in any way. */
@Injectable()
export class ProjectMembersRepository extends MembersRepository {
  constructor(
    database: Database,
    users: UsersRepository,
    private readonly projects: ProjectAccessRepository,
  ) {
    super(database, users, {
      name: 'project_members',
      sourceColumn: 'project_id',
      isPersonalOwner: IS_PERSONAL_OWNER,
    });
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

  /** Lists the members with access in any way, each with the highest level, the newest account first. */
  async listAny(
    projectId: number,
    reader: NonNullable<Subject>,
    query: string | undefined,
    request: PageRequest,
  ): Promise<Page<Member>> {
    const levels = reader.admin ? null : visibleLevels(reader);
    const parameters = [projectId, reader.id, levels, query ?? null];
    const { offset, limit } = windowOf(request);
    const from = searchedMemberships(reader.admin);
    const rows = await this.database.rows<Omit<Member, 'user'>>(
      `SELECT ${HIGHEST_COLUMNS} ${from} ORDER BY m.user_id DESC OFFSET $5 LIMIT $6`,
      [...parameters, offset, limit],
    );
    const counted = await boundedCount(this.database, `SELECT 1 ${from}`, parameters);
    return Page.cut(await this.withUsers(rows), counted, request);
  }

  /** Finds a member with access in any way, with the highest level. */
  async findAny(
    projectId: number,
    reader: NonNullable<Subject>,
    userId: number,
  ): Promise<Member | null> {
    const levels = reader.admin ? null : visibleLevels(reader);
    const rows = await this.database.rows<Omit<Member, 'user'>>(
      `SELECT ${HIGHEST_COLUMNS} ${highestOf(memberships('$4'))}`,
      [projectId, reader.id, levels, userId],
    );
    const [member] = await this.withUsers(rows);
    return member ?? null;
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
