import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { BatchedReads, Database, plannedOnce } from '../../platform/database/index.js';
import { User } from './user.entity.js';
import type { ProfileInput } from './user-input.js';

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

type ProfileColumn =
  | 'bio'
  | 'location'
  | 'messenger'
  | 'professionalProfile'
  | 'microblog'
  | 'websiteUrl'
  | 'organization';

/** The columns of an account that may be written anew. */
export type UserChanges = Partial<
  Pick<
    User,
    | 'username'
    | 'name'
    | 'email'
    | 'passwordHash'
    | 'projectsLimit'
    | 'admin'
    | 'external'
    | 'canCreateGroup'
    | 'state'
    | ProfileColumn
  >
>;

@Injectable()
export class UsersRepository {
  private readonly byTokenDigest = new BatchedReads<string, User | null>({
    key: (digest) => digest,
    answer: (digests) => this.findByTokenDigests(digests),
  });

  constructor(private readonly database: Database) {}

  async insert(user: NewUser): Promise<User> {
    const users = this.database.of(User);
    const { identifiers } = await users.insert(user);
    return users.findOneByOrFail({ id: (identifiers[0] as { id: number }).id });
  }

  /** A living account; the ghost is none. */
  findById(id: number): Promise<User | null> {
    return this.database.of(User).findOneBy({ id, ghost: false, deletedAt: IsNull() });
  }

  /** The living accounts among the given ones; the ghost is none. */
  findByIds(ids: readonly number[]): Promise<User[]> {
    return this.database
      .of(User)
      .createQueryBuilder('user')
      .where('user.id = ANY(:ids) AND user.deleted_at IS NULL AND NOT user.ghost', {
        ids: [...new Set(ids)],
      })
      .getMany();
  }

  /**
   * The accounts to be named as authors, by the given IDs: the ghost in the place of those that are
   * deleted, whether or not anything is left of them. One statement.
   */
  async findAuthors(ids: readonly number[]): Promise<Map<number, User>> {
    const asked = [...new Set(ids)];
    if (asked.length === 0) return new Map();
    const users = await this.database.entities(
      User,
      'u',
      `FROM users u
        WHERE (u.id = ANY(${plannedOnce('$1', 'int')}) AND u.deleted_at IS NULL) OR u.ghost`,
      [asked],
    );
    const byId = new Map(users.map((user) => [user.id, user]));
    const ghost = users.find((user) => user.ghost);
    const authors = asked.map((id) => [id, byId.get(id) ?? ghost] as const);
    return new Map(authors.filter((entry): entry is [number, User] => entry[1] !== undefined));
  }

  /** The ghost counts here: its ID stands wherever what deleted users wrote is shown. */
  findReadable(id: number): Promise<User | null> {
    return this.database.of(User).findOneBy({ id, deletedAt: IsNull() });
  }

  /**
   * The living account, which nobody else changes, deletes or adds things to until the unit of work
   * ends; null when there is none.
   */
  async lock(id: number): Promise<User | null> {
    return this.findLocked(id, 'FOR NO KEY UPDATE');
  }

  /**
   * The living account, which nobody changes or deletes until the unit of work ends, though others
   * may add things to it as well.
   */
  async hold(id: number): Promise<User | null> {
    return this.findLocked(id, 'FOR SHARE');
  }

  async update(id: number, changes: UserChanges): Promise<User> {
    const users = this.database.of(User);
    await users.update({ id }, changes);
    return users.findOneByOrFail({ id });
  }

  /** Notes who somebody is at a provider, in the place of what was known of the same provider. */
  async putIdentity(
    userId: number,
    { provider, externUid }: NonNullable<ProfileInput['identity']>,
  ): Promise<void> {
    await this.database.rows(
      `INSERT INTO identities (user_id, provider, extern_uid) VALUES ($1, $2, $3)
       ON CONFLICT (user_id, provider) DO UPDATE SET extern_uid = excluded.extern_uid`,
      [userId, provider, externUid],
    );
  }

  /** Asked for every request, so those that come together share a statement. */
  findByTokenDigest(digest: string): Promise<User | null> {
    return this.byTokenDigest.ask(digest);
  }

  async findByUsername(username: string): Promise<User | null> {
    const [user] = await this.database.entities(
      User,
      'u',
      'FROM users u WHERE lower(u.username) = lower($1) AND u.deleted_at IS NULL AND NOT u.ghost',
      [username],
    );
    return user ?? null;
  }

  findByEmail(email: string): Promise<User | null> {
    return this.database.of(User).findOneBy({
      email: email.toLowerCase(),
      ghost: false,
      deletedAt: IsNull(),
    });
  }

  /** Moves the sign-in times on and answers the account as it is then; null when it is gone. */
  async recordSignIn(id: number): Promise<User | null> {
    await this.database.rows(
      `UPDATE users SET last_sign_in_at = current_sign_in_at, current_sign_in_at = now()
        WHERE id = $1`,
      [id],
    );
    return this.findById(id);
  }

  /** The oldest account, null when there is none at all. */
  async findFirst(): Promise<User | null> {
    const [first] = await this.database.of(User).find({
      where: { ghost: false, deletedAt: IsNull() },
      order: { id: 'ASC' },
      take: 1,
    });
    return first ?? null;
  }

  private async findByTokenDigests(digests: readonly string[]): Promise<(User | null)[]> {
    const found = await this.database.entities(
      User,
      'u',
      'FROM users u WHERE u.private_token_digest = ANY($1::bpchar[]) AND u.deleted_at IS NULL',
      [digests],
    );
    const users = new Map(found.map((user) => [user.privateTokenDigest, user]));
    return digests.map((digest) => users.get(digest) ?? null);
  }

  // Read again under the lock: the account may have changed while this waited for it.
  private async findLocked(id: number, lock: string): Promise<User | null> {
    const found = await this.database.rows(
      `SELECT id FROM users WHERE id = $1 AND deleted_at IS NULL AND NOT ghost ${lock}`,
      [id],
    );
    return found.length === 0 ? null : this.findById(id);
  }

  /**
   * How many projects lie in the user's personal namespace. Counted where projects are kept, by SQL:
   * this room lies below theirs.
   */
  async countPersonalProjects(userId: number): Promise<number> {
    const [row] = await this.database.rows<{ count: number }>(
      `SELECT count(*)::int AS count
         FROM projects JOIN namespaces ON namespaces.id = projects.namespace_id
        WHERE namespaces.owner_id = $1 AND projects.deleted_at IS NULL`,
      [userId],
    );
    return row?.count ?? 0;
  }
}
