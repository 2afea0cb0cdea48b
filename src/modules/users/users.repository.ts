import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { Database } from '../../platform/database/index.js';
import { User } from './user.entity.js';

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
  Partial<Pick<User, 'admin' | 'external' | 'canCreateGroup'>>;

@Injectable()
export class UsersRepository {
  constructor(private readonly database: Database) {}

  async insert(user: NewUser): Promise<User> {
    const users = this.database.of(User);
    const { identifiers } = await users.insert(user);
    return users.findOneByOrFail({ id: (identifiers[0] as { id: number }).id });
  }

  findById(id: number): Promise<User | null> {
    return this.database.of(User).findOneBy({ id, deletedAt: IsNull() });
  }

  findByIds(ids: readonly number[]): Promise<User[]> {
    return this.database
      .of(User)
      .createQueryBuilder('user')
      .where('user.id = ANY(:ids)', { ids: [...new Set(ids)] })
      .getMany();
  }

  findByTokenDigest(digest: string): Promise<User | null> {
    return this.database.of(User).findOneBy({ privateTokenDigest: digest, deletedAt: IsNull() });
  }

  findByUsername(username: string): Promise<User | null> {
    return this.database
      .of(User)
      .createQueryBuilder('user')
      .where('lower(user.username) = lower(:username) AND user.deleted_at IS NULL', { username })
      .getOne();
  }

  findByEmail(email: string): Promise<User | null> {
    return this.database.of(User).findOneBy({
      email: email.toLowerCase(),
      ghost: false,
      deletedAt: IsNull(),
    });
  }

  /** Moves the sign-in times on and answers the account as it is then. */
  async recordSignIn(id: number): Promise<User> {
    await this.database.rows(
      `UPDATE users SET last_sign_in_at = current_sign_in_at, current_sign_in_at = now()
        WHERE id = $1`,
      [id],
    );
    return this.database.of(User).findOneByOrFail({ id });
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
