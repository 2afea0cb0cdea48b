import { Injectable } from '@nestjs/common';
import { checked, Database } from '../../../platform/database/index.js';
import {
  boundedCount,
  Page,
  type PageRequest,
  windowOf,
} from '../../../platform/pagination/index.js';
import {
  type EndedMembership,
  isLastOwner,
  livingUser,
  unexpired,
} from '../../authorization/index.js';
import { ErasesAccountData, type User, UsersRepository } from '../../users/index.js';
import type { Member, MemberTerms } from './member.rules.js';

/** The table of one kind of membership, and its column with the ID of the group or project. */
type MembersTable = (
  | { readonly name: 'group_members'; readonly sourceColumn: 'group_id' }
  | { readonly name: 'project_members'; readonly sourceColumn: 'project_id' }
) & {
  /** SQL condition on a row `m`: the project lies in the personal namespace of the user. */
  readonly isPersonalOwner: string;
};

/** A row of a statement for members. */
type MemberRow = Omit<Member, 'user'>;

/**
 * SQL condition: name or user name contain a text, in any case. Null matches all users.
 * @param byEmail whether the e-mail counts, too: only for administrators, since a search shows hidden addresses letter
 *   by letter
 */
export const userMatches = (user: string, text: string, byEmail: boolean): string => {
  const columns = byEmail ? ['name', 'username', 'email'] : ['name', 'username'];
  const matches = columns.map((column) => `strpos(lower(${user}.${column}), lower(${text})) > 0`);
  return `(${text}::text IS NULL OR ${matches.join(' OR ')})`;
};

/** Who searches. */
type Reader = Pick<User, 'admin'>;

/** Number of rows that one transaction of background work removes. */
const CHUNK = 500;

/** Memberships of projects, or memberships of groups. */
export abstract class MembersRepository {
  protected constructor(
    protected readonly database: Database,
    protected readonly users: UsersRepository,
    private readonly table: MembersTable,
  ) {}

  /** Lists direct members, the newest account first, expired ones included until they are removed. */
  async list(
    sourceId: number,
    reader: Reader,
    query: string | undefined,
    page: PageRequest,
  ): Promise<Page<Member>> {
    const matches = userMatches('u', '$2', reader.admin);
    const from = `${this.from} WHERE ${this.isOfSource} AND ${matches}`;
    const parameters = [sourceId, query ?? null];
    const { offset, limit } = windowOf(page);
    const rows = await this.database.rows<MemberRow>(
      `SELECT ${this.columns} ${from} ORDER BY m.user_id DESC OFFSET $3 LIMIT $4`,
      [...parameters, offset, limit],
    );
    const counted = await boundedCount(this.database, `SELECT 1 ${from}`, parameters);
    return Page.cut(await this.withUsers(rows), counted, page);
  }

  async find(sourceId: number, userId: number): Promise<Member | null> {
    return this.findRow(sourceId, userId, '');
  }

  /** Finds a membership and locks it to the end of the unit of work. */
  async lock(sourceId: number, userId: number): Promise<Member | null> {
    return this.findRow(sourceId, userId, 'FOR UPDATE OF m');
  }

  /** @returns false when there is such a member already */
  async insert(sourceId: number, userId: number, terms: MemberTerms): Promise<boolean> {
    const { name, sourceColumn } = this.table;
    const rows = await this.database.rows(
      `INSERT INTO ${name} (${sourceColumn}, user_id, access_level, expires_at)
       VALUES ($1, $2, $3, $4) ON CONFLICT (${sourceColumn}, user_id) DO NOTHING RETURNING user_id`,
      [sourceId, userId, terms.accessLevel, terms.expiresAt],
    );
    return rows.length > 0;
  }

  async update(sourceId: number, userId: number, terms: MemberTerms): Promise<void> {
    await this.database.rows(
      `UPDATE ${this.table.name} AS m SET access_level = $3, expires_at = $4
        WHERE ${this.isOfSource} AND m.user_id = $2`,
      [sourceId, userId, terms.accessLevel, terms.expiresAt],
    );
  }

  /** Removes a membership and returns it, if there was one. */
  remove(sourceId: number, userId: number): Promise<EndedMembership[]> {
    return this.database.rows(
      `DELETE FROM ${this.table.name} AS m WHERE ${this.isOfSource} AND m.user_id = $2
       RETURNING ${this.ended}`,
      [sourceId, userId],
    );
  }

  /** Removes some expired memberships and returns them. Leaves locked ones to the next run. */
  removeSomeExpired(): Promise<EndedMembership[]> {
    const { name, sourceColumn } = this.table;
    return this.database.rows(
      `WITH expired AS (
         SELECT e.${sourceColumn}, e.user_id FROM ${name} e
          WHERE NOT ${unexpired('e.expires_at')} ORDER BY e.expires_at
          LIMIT $1 FOR UPDATE SKIP LOCKED)
       DELETE FROM ${name} m USING expired
        WHERE m.${sourceColumn} = expired.${sourceColumn} AND m.user_id = expired.user_id
       RETURNING ${this.ended}`,
      [CHUNK],
    );
  }

  /**
   * Removes some memberships of a deleted account.
   * @returns whether there may be more
   */
  @ErasesAccountData()
  async removeSomeOf(userId: number): Promise<boolean> {
    const { name, sourceColumn } = this.table;
    const rows = await this.database.rows(
      `DELETE FROM ${name} WHERE user_id = $1 AND ${sourceColumn} IN (
         SELECT own.${sourceColumn} FROM ${name} own WHERE own.user_id = $1 LIMIT $2) RETURNING user_id`,
      [userId, CHUNK],
    );
    return rows.length === CHUNK;
  }

  private async findRow(sourceId: number, userId: number, lock: string): Promise<Member | null> {
    const rows = await this.database.rows<MemberRow>(
      `SELECT ${this.columns} ${this.from} WHERE ${this.isOfSource} AND m.user_id = $2 ${lock}`,
      [sourceId, userId],
    );
    return (await this.withUsers(rows))[0] ?? null;
  }

  protected async withUsers(memberships: readonly MemberRow[]): Promise<Member[]> {
    if (memberships.length === 0) return [];
    const users = await this.users.findByIds(memberships.map(({ userId }) => userId));
    const byId = new Map(users.map((user) => [user.id, user]));
    // Leaves out accounts that were deleted between the two statements.
    return memberships.flatMap((membership) => {
      const user = byId.get(membership.userId);
      return user === undefined ? [] : [{ ...membership, user }];
    });
  }

  private get columns(): string {
    return `m.user_id AS "userId", m.access_level AS "accessLevel", m.expires_at::text AS "expiresAt",
            m.created_at AS "createdAt", ${this.table.isPersonalOwner} AS "isPersonalOwner"`;
  }

  private get from(): string {
    return `FROM ${this.table.name} m JOIN users u ON u.id = m.user_id AND ${livingUser('u')}`;
  }

  private get ended(): string {
    return `m.${this.table.sourceColumn} AS "sourceId", m.user_id AS "userId",
            m.access_level AS "accessLevel", m.created_at AS "createdAt"`;
  }

  private get isOfSource(): string {
    return `m.${this.table.sourceColumn} = $1`;
  }
}

@Injectable()
export class GroupMembersRepository extends MembersRepository {
  constructor(database: Database, users: UsersRepository) {
    super(database, users, {
      name: 'group_members',
      sourceColumn: 'group_id',
      isPersonalOwner: 'false',
    });
  }

  /**
   * Locks a group, so that changes of its members run one after the other and two owners cannot both leave
   * because each counts on the other.
   * @returns false when the group is deleted
   */
  async lockGroup(groupId: number): Promise<boolean> {
    const rows = await this.database.rows(
      `SELECT 1 FROM namespaces WHERE id = $1 AND ${checked('owner_id IS NULL AND deleted_at IS NULL')}
          FOR NO KEY UPDATE`,
      [groupId],
    );
    return rows.length > 0;
  }

  /** Whether a member is an owner and no other owner's membership lasts at least as long. */
  async isLastOwner(groupId: number, userId: number): Promise<boolean> {
    const rows = await this.database.rows(
      `SELECT 1 FROM group_members m
        WHERE m.group_id = $1 AND m.user_id = $2 AND ${isLastOwner('m')}`,
      [groupId, userId],
    );
    return rows.length > 0;
  }
}
