import type { Database } from '../../../platform/database/index.js';
import { boundedCount, Page, type PageRequest, windowOf } from '../../../platform/http/index.js';
import { type EndedMembership, livingUser, unexpired } from '../../access/index.js';
import { ErasesAccountData, type UsersRepository } from '../../users/index.js';
import type { Member, Membership, MemberTerms } from './member.js';

/** The table of one kind of membership, and its column that names what the member belongs to. */
export type MembersTable =
  | { readonly name: 'group_members'; readonly parent: 'group_id' }
  | { readonly name: 'project_members'; readonly parent: 'project_id' };

/** Whether name, user name or e-mail contain a text; null finds everybody. */
export const userMatches = (user: string, text: string): string => `(
  ${text}::text IS NULL OR strpos(lower(${user}.name), lower(${text})) > 0
  OR strpos(lower(${user}.username), lower(${text})) > 0
  OR strpos(lower(${user}.email), lower(${text})) > 0)`;

/** How many rows one transaction of background work removes. */
const CHUNK = 500;

const COLUMNS = `m.user_id AS "userId", m.access_level AS "accessLevel",
                 m.expires_at::text AS "expiresAt"`;

/** Memberships of one kind, those of projects or those of groups (open points 3.5). */
export abstract class MembersRepository {
  protected constructor(
    protected readonly database: Database,
    private readonly users: UsersRepository,
    private readonly table: MembersTable,
  ) {}

  /** Direct members, the newest account first; expired ones as long as they are there. */
  async list(
    parentId: number,
    query: string | undefined,
    page: PageRequest,
  ): Promise<Page<Member>> {
    const from = `${this.from} WHERE ${this.parentIs} AND ${userMatches('u', '$2')}`;
    const given = [parentId, query ?? null];
    const { offset, limit } = windowOf(page);
    const rows = await this.database.rows<Membership>(
      `SELECT ${COLUMNS} ${from} ORDER BY m.user_id DESC OFFSET $3 LIMIT $4`,
      [...given, offset, limit],
    );
    const counted = await boundedCount(this.database, `SELECT 1 ${from}`, given);
    return Page.cut(await this.withUsers(rows), counted, page);
  }

  async find(parentId: number, userId: number): Promise<Member | null> {
    return this.findRow(parentId, userId, '');
  }

  /** Finds a membership that nobody else changes or removes before the unit of work ends. */
  async findToChange(parentId: number, userId: number): Promise<Member | null> {
    return this.findRow(parentId, userId, 'FOR UPDATE OF m');
  }

  /** False when there is such a member already. */
  async insert(parentId: number, userId: number, terms: MemberTerms): Promise<boolean> {
    const { name, parent } = this.table;
    const rows = await this.database.rows(
      `INSERT INTO ${name} (${parent}, user_id, access_level, expires_at)
       VALUES ($1, $2, $3, $4) ON CONFLICT (${parent}, user_id) DO NOTHING RETURNING user_id`,
      [parentId, userId, terms.accessLevel, terms.expiresAt],
    );
    return rows.length > 0;
  }

  async update(parentId: number, userId: number, terms: MemberTerms): Promise<void> {
    await this.database.rows(
      `UPDATE ${this.table.name} AS m SET access_level = $3, expires_at = $4
        WHERE ${this.parentIs} AND m.user_id = $2`,
      [parentId, userId, terms.accessLevel, terms.expiresAt],
    );
  }

  /** The membership, if there was one. */
  remove(parentId: number, userId: number): Promise<EndedMembership[]> {
    return this.database.rows(
      `DELETE FROM ${this.table.name} AS m WHERE ${this.parentIs} AND m.user_id = $2
       RETURNING ${this.ended}`,
      [parentId, userId],
    );
  }

  /** Removes some memberships whose day has come; those just being changed wait for the next time. */
  removeSomeExpired(): Promise<EndedMembership[]> {
    const { name, parent } = this.table;
    return this.database.rows(
      `WITH expired AS (
         SELECT e.${parent}, e.user_id FROM ${name} e
          WHERE NOT ${unexpired('e.expires_at')} ORDER BY e.expires_at
          LIMIT $1 FOR UPDATE SKIP LOCKED)
       DELETE FROM ${name} m USING expired
        WHERE m.${parent} = expired.${parent} AND m.user_id = expired.user_id
       RETURNING ${this.ended}`,
      [CHUNK],
    );
  }

  /** Removes some memberships of a deleted account. @returns whether there may be more */
  @ErasesAccountData()
  async removeSomeOf(userId: number): Promise<boolean> {
    const { name, parent } = this.table;
    const rows = await this.database.rows(
      `DELETE FROM ${name} WHERE user_id = $1 AND ${parent} IN (
         SELECT own.${parent} FROM ${name} own WHERE own.user_id = $1 LIMIT $2) RETURNING user_id`,
      [userId, CHUNK],
    );
    return rows.length === CHUNK;
  }

  private async findRow(parentId: number, userId: number, lock: string): Promise<Member | null> {
    const rows = await this.database.rows<Membership>(
      `SELECT ${COLUMNS} ${this.from} WHERE ${this.parentIs} AND m.user_id = $2 ${lock}`,
      [parentId, userId],
    );
    return (await this.withUsers(rows))[0] ?? null;
  }

  private async withUsers(memberships: readonly Membership[]): Promise<Member[]> {
    if (memberships.length === 0) return [];
    const users = await this.users.findByIds(memberships.map(({ userId }) => userId));
    const byId = new Map(users.map((user) => [user.id, user]));
    // An account deleted between the two statements is nobody's member any more.
    return memberships.flatMap((membership) => {
      const user = byId.get(membership.userId);
      return user === undefined ? [] : [{ ...membership, user }];
    });
  }

  private get from(): string {
    return `FROM ${this.table.name} m JOIN users u ON u.id = m.user_id AND ${livingUser('u')}`;
  }

  private get ended(): string {
    return `m.${this.table.parent} AS "parentId", m.user_id AS "userId",
            m.access_level AS "accessLevel", m.created_at AS "createdAt"`;
  }

  private get parentIs(): string {
    return `m.${this.table.parent} = $1`;
  }
}
