import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';
import { type EndedMembership, Level, type MembershipSource } from '../../access/index.js';
import { visibilityName } from '../../settings/index.js';

const ROLES: Readonly<Record<number, string>> = {
  [Level.GUEST]: 'Guest',
  [Level.REPORTER]: 'Reporter',
  [Level.DEVELOPER]: 'Developer',
  [Level.MASTER]: 'Master',
  [Level.OWNER]: 'Owner',
};

/** A membership with its place and its member. */
interface MembershipRow {
  accessLevel: number;
  createdAt: Date;
  placeId: number;
  name: string;
  path: string;
  /** Of a project: with the namespace's. */
  fullPath: string;
  visibilityLevel: number;
  userId: number;
  username: string;
  userName: string;
  email: string;
}

const PLACES: Readonly<Record<MembershipSource, { from: string; fullPath: string }>> = {
  project: {
    from: 'projects p JOIN namespaces n ON n.id = p.namespace_id',
    fullPath: `n.path || '/' || p.path`,
  },
  group: { from: 'namespaces p', fullPath: 'p.path' },
};

const describe = (place: MembershipSource, memberships: string): string => `
  SELECT m.access_level AS "accessLevel", m.created_at AS "createdAt", p.id AS "placeId",
         p.name, p.path, ${PLACES[place].fullPath} AS "fullPath",
         p.visibility_level AS "visibilityLevel", u.id AS "userId", u.username,
         u.name AS "userName", u.email
    FROM (${memberships}) m (place_id, user_id, access_level, created_at)
    JOIN ${PLACES[place].from} ON p.id = m.place_id
    JOIN users u ON u.id = m.user_id
   ORDER BY p.id, u.id`;

const PRESENT = {
  project: `SELECT project_id, user_id, access_level, created_at FROM project_members
             WHERE project_id = $1 AND ($2::int IS NULL OR user_id = $2)`,
  group: `SELECT group_id, user_id, access_level, created_at FROM group_members
           WHERE group_id = $1 AND ($2::int IS NULL OR user_id = $2)`,
} as const;

const ENDED = 'SELECT * FROM unnest($1::int[], $2::int[], $3::int[], $4::timestamptz[])';

/** Tells the hooks of the instance of members (open points 7.10). */
@Injectable()
export class SystemMemberPayloads {
  constructor(private readonly database: Database) {}

  /** @param userId null tells of all members that there are */
  async added(place: MembershipSource, placeId: number, userId: number | null): Promise<object[]> {
    const sql = describe(place, PRESENT[place]);
    const rows = await this.database.rows<MembershipRow>(sql, [placeId, userId]);
    return rows.map((row) => payload(place, 'add_to', row));
  }

  async removed(place: MembershipSource, ended: readonly EndedMembership[]): Promise<object[]> {
    const rows = await this.database.rows<MembershipRow>(describe(place, ENDED), [
      ended.map(({ sourceId }) => sourceId),
      ended.map(({ userId }) => userId),
      ended.map(({ accessLevel }) => accessLevel),
      ended.map(({ createdAt }) => createdAt),
    ]);
    return rows.map((row) => payload(place, 'remove_from', row));
  }
}

function payload(
  place: MembershipSource,
  verb: 'add_to' | 'remove_from',
  row: MembershipRow,
): object {
  const role = ROLES[row.accessLevel] ?? 'Guest';
  const times = { created_at: row.createdAt, updated_at: row.createdAt };
  const member = {
    user_username: row.username,
    user_name: row.userName,
    user_email: row.email,
    user_id: row.userId,
  };
  if (place === 'group') {
    return {
      event_name: `user_${verb}_group`,
      ...times,
      group_name: row.name,
      group_path: row.path,
      group_id: row.placeId,
      ...member,
      group_access: role,
    };
  }
  return {
    event_name: `user_${verb}_team`,
    ...times,
    project_name: row.name,
    project_path: row.path,
    project_path_with_namespace: row.fullPath,
    project_id: row.placeId,
    ...member,
    access_level: role,
    project_visibility: visibilityName(row.visibilityLevel),
  };
}
