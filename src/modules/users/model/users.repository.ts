import { Injectable } from '@nestjs/common';
import { IsNull, type SelectQueryBuilder } from 'typeorm';
import {
  BatchedReads,
  Database,
  inOrderOf,
  notDeleted,
  opaqueArray,
  PLANNED_EACH_TIME,
  rowsByIds,
} from '../../../platform/database/index.js';
import { livingUser, projectsIn } from '../../authorization/index.js';
import { Page, type PageRequest, pageOfQuery } from '../../../platform/pagination/index.js';
import { User, type UserDetails } from './user.entity.js';
import { readUserDetails } from './user-details.query.js';
import { conditionsOf, type UserFilters } from './user-list.query.js';
import type { ProfileInput } from './user.rules.js';
import { authorsById, isLiving, userByEmail, userByUsername } from './users.sql.js';

/** Keys of advisory locks: any numbers, the same in every process. */
const FIRST_START_LOCK = 7_265_001;
const ADMINISTRATORS_LOCK = 7_265_002;

type ProfileColumn =
  | 'bio'
  | 'location'
  | 'messenger'
  | 'professionalProfile'
  | 'microblog'
  | 'websiteUrl'
  | 'organization';

export type NewUser = Pick<
  User,
  | 'username'
  | 'name'
  | 'email'
  | 'passwordHash'
  | 'privateTokenDigest'
  | 'privateTokenSealed'
  | 'projectsLimit'
  | 'confirmedAt'
> &
  Partial<Pick<User, 'admin' | 'external' | 'canCreateGroup' | ProfileColumn>>;

/** The columns of an account that may be updated. */
export type UserChanges = Partial<
  Pick<
    User,
    | 'username'
    | 'name'
    | 'email'
    | 'passwordHash'
    | 'privateTokenDigest'
    | 'privateTokenSealed'
    | 'projectsLimit'
    | 'admin'
    | 'external'
    | 'canCreateGroup'
    | 'state'
    | ProfileColumn
  >
>;

export interface UserWithDetails extends UserDetails {
  user: User;
}

const LIVING = isLiving('u');

/** Accounts. Unless stated otherwise, deleted accounts and the ghost account are left out. */
@Injectable()
export class UsersRepository {
  private readonly details = new BatchedReads<number, UserDetails>({
    key: (id) => id,
    answer: (ids) => this.readDetails(ids),
  });

  constructor(private readonly database: Database) {}

  /** Lists accounts, newest first. */
  async list(filters: UserFilters, forAdmin: boolean, request: PageRequest): Promise<Page<User>> {
    if (filters.username !== undefined) {
      const found = await this.findByUsername(filters.username);
      return Page.of(found === null ? [] : [found], request);
    }
    const query = this.database
      .of(User)
      .createQueryBuilder('user')
      .where('user.deleted_at IS NULL AND NOT user.ghost')
      .orderBy('user.id', 'DESC');
    filterUsers(query, filters, forAdmin);
    return pageOfQuery(this.database, query, request);
  }

  findById(id: number): Promise<User | null> {
    return this.findOne(`FROM users u WHERE u.id = $1 AND ${LIVING}`, id);
  }

  findByIds(ids: readonly number[]): Promise<User[]> {
    return this.database.entities(
      User,
      'u',
      `FROM ${rowsByIds('users', opaqueArray('$1', 'int'))} u WHERE ${livingUser('u')}`,
      [[...new Set(ids)]],
    );
  }

  /**
   * Finds the authors of records by ID, with the ghost account in the place of each deleted one, whether or
   * not its row is still there. One statement.
   */
  async findAuthors(ids: readonly number[]): Promise<Map<number, User>> {
    const asked = [...new Set(ids)];
    if (asked.length === 0) return new Map();
    const users = await this.database.entities(
      User,
      'u',
      `FROM ${authorsById(opaqueArray('$1', 'int'))} u`,
      [asked],
    );
    const byId = new Map(users.map((user) => [user.id, user]));
    const ghost = users.find((user) => user.ghost);
    const authors = asked.map((id) => [id, byId.get(id) ?? ghost] as const);
    return new Map(authors.filter((entry): entry is [number, User] => entry[1] !== undefined));
  }

  /** Finds an account or the ghost account, whose ID is shown as the author of what deleted users wrote. */
  findByIdOrGhost(id: number): Promise<User | null> {
    return this.findOne(`FROM users u WHERE u.id = $1 AND ${notDeleted('u')}`, id);
  }

  findByUsername(username: string): Promise<User | null> {
    return this.findOne(`FROM ${userByUsername('$1')} u`, username);
  }

  findByEmail(email: string): Promise<User | null> {
    return this.findOne(`FROM ${userByEmail('$1')} u`, email.toLowerCase());
  }

  /** Finds an account by user name, or by primary e-mail address. */
  findByLogin(login: string): Promise<User | null> {
    return login.includes('@') ? this.findByEmail(login) : this.findByUsername(login);
  }

  /** Finds the oldest account, null when there is none at all. */
  async findFirst(): Promise<User | null> {
    const [first] = await this.database.of(User).find({
      where: { ghost: false, deletedAt: IsNull() },
      order: { id: 'ASC' },
      take: 1,
    });
    return first ?? null;
  }

  /** Finds the oldest administrator who is not blocked. */
  async findFirstAdministrator(): Promise<User | null> {
    const [first] = await this.database.of(User).find({
      where: { admin: true, state: 'active', ghost: false, deletedAt: IsNull() },
      order: { id: 'ASC' },
      take: 1,
    });
    return first ?? null;
  }

  /** Loads the details of one account unless it has them. Requests that arrive together share one statement. */
  async loadDetails(user: User): Promise<UserWithDetails> {
    return { user, ...(user.details ?? (await this.details.ask(user.id))) };
  }

  /** Loads the details of several accounts, in their order, with one statement. */
  async loadAllDetails(users: readonly User[]): Promise<UserWithDetails[]> {
    if (users.length === 0) return [];
    const details = await this.readDetails(users.map(({ id }) => id));
    return users.map((user, index) => ({ user, ...(details[index] as UserDetails) }));
  }

  /** Counts the projects in the user's personal namespace. */
  async countPersonalProjects(userId: number): Promise<number> {
    const [row] = await this.database.rows<{ count: number }>(
      `SELECT count(*)::int AS count
         FROM namespaces n
        CROSS JOIN ${projectsIn('n.id')} p
        WHERE n.owner_id = $1`,
      [userId],
    );
    return row?.count ?? 0;
  }

  /** Locks an account against changes, deletion and additions of others, to the end of the unit of work. */
  async lock(id: number): Promise<User | null> {
    return this.findLocked(id, 'FOR NO KEY UPDATE');
  }

  /** Locks an account against changes and deletion, to the end of the unit of work; others may share it. */
  async hold(id: number): Promise<User | null> {
    return this.findLocked(id, 'FOR SHARE');
  }

  /** As `hold`, several accounts in ID order. @returns those that there are */
  async holdAll(ids: readonly number[]): Promise<ReadonlyMap<number, User>> {
    if (ids.length === 0) return new Map();
    const found = await this.database.rows<{ id: number }>(
      `SELECT u.id FROM (
         SELECT * FROM users WHERE id = ANY($1::int[]) ${inOrderOf('id')} FOR SHARE) u
        WHERE ${LIVING}`,
      [[...new Set(ids)]],
    );
    // Read under the lock, as by `findLocked`.
    const users = await this.findAuthors(found.map(({ id }) => id));
    return new Map([...users].filter(([id, user]) => user.id === id));
  }

  /** Makes processes that start together create the first administrator one after the other. */
  async lockFirstStart(): Promise<void> {
    await this.database.rows('SELECT pg_advisory_xact_lock($1)', [FIRST_START_LOCK]);
  }

  /**
   * Whether there is an active administrator besides this account. The answer holds to the end of the
   * unit of work: others who ask wait until then, so that two cannot remove each other.
   */
  async hasOtherAdministrator({ id }: User): Promise<boolean> {
    await this.database.rows('SELECT pg_advisory_xact_lock($1)', [ADMINISTRATORS_LOCK]);
    const others = await this.database.rows(
      `SELECT 1 FROM users
        WHERE admin AND state = 'active' AND deleted_at IS NULL AND id <> $1
        LIMIT 1`,
      [id],
    );
    return others.length > 0;
  }

  async insert(user: NewUser): Promise<User> {
    const users = this.database.of(User);
    const { identifiers } = await users.insert(user);
    return users.findOneByOrFail({ id: (identifiers[0] as { id: number }).id });
  }

  async update(id: number, changes: UserChanges): Promise<User> {
    const users = this.database.of(User);
    await users.update({ id }, changes);
    return users.findOneByOrFail({ id });
  }

  /** Inserts the identity of a user at a provider, or replaces the one at the same provider. */
  async upsertIdentity(
    userId: number,
    { provider, externUid }: NonNullable<ProfileInput['identity']>,
  ): Promise<void> {
    await this.database.rows(
      `INSERT INTO identities (user_id, provider, extern_uid) VALUES ($1, $2, $3)
       ON CONFLICT (user_id, provider) DO UPDATE SET extern_uid = excluded.extern_uid`,
      [userId, provider, externUid],
    );
  }

  /**
   * Records a sign-in.
   * @param account as it was when its credential was compared
   * @returns the account after it; null when it was blocked or deleted or got another password or token meanwhile
   */
  async recordSignIn({ id, passwordHash, privateTokenDigest }: User): Promise<User | null> {
    const recorded = await this.database.rows(
      `UPDATE users u SET last_sign_in_at = current_sign_in_at, current_sign_in_at = now()
        WHERE u.id = $1 AND u.password_hash = $2 AND u.private_token_digest = $3
          AND u.state = 'active' AND ${LIVING}
        RETURNING u.id`,
      [id, passwordHash, privateTokenDigest],
    );
    return recorded.length === 0 ? null : this.findById(id);
  }

  private async findOne(from: string, parameter: unknown): Promise<User | null> {
    const [user] = await this.database.entities(User, 'u', from, [parameter]);
    return user ?? null;
  }

  // Reads again under the lock: the account may have changed during the wait.
  private async findLocked(id: number, lock: string): Promise<User | null> {
    const found = await this.database.rows(
      `SELECT u.id FROM users u WHERE u.id = $1 AND ${LIVING} ${lock}`,
      [id],
    );
    return found.length === 0 ? null : this.findById(id);
  }

  private readDetails(ids: readonly number[]): Promise<UserDetails[]> {
    return readUserDetails(this.database, ids);
  }
}

/**
 * Returns one of the accounts that `findAuthors` found.
 * @throws Error (a fault) when neither the account nor the ghost account is among them
 */
export function authorOf<Author>(authors: ReadonlyMap<number, Author>, id: number): Author {
  const author = authors.get(id);
  if (author === undefined) throw new Error(`There is no author for user ${String(id)}`);
  return author;
}

function filterUsers(
  query: SelectQueryBuilder<User>,
  filters: UserFilters,
  forAdmin: boolean,
): void {
  for (const [at, { condition, value }] of conditionsOf(filters, forAdmin).entries()) {
    const name = `value${String(at)}`;
    query.andWhere(condition('user', `:${name}`), { [name]: value });
  }
  if (filters.search !== undefined) query.comment(PLANNED_EACH_TIME);
}
