import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Database } from '../../platform/database/index.js';
import { Identity } from './identity.entity.js';
import type { User } from './user.entity.js';

/** An account with what its full view adds from other tables. */
export interface DescribedUser {
  user: User;
  /** How many projects lie in the personal namespace. */
  personalProjects: number;
  identities: readonly Identity[];
}

@Injectable()
export class UserDetailsRepository {
  constructor(private readonly database: Database) {}

  async describe(user: User): Promise<DescribedUser> {
    const [described] = await this.describeAll([user]);
    return described as DescribedUser;
  }

  /** In the order given; two statements, however many accounts there are. */
  async describeAll(users: readonly User[]): Promise<DescribedUser[]> {
    if (users.length === 0) return [];
    const ids = users.map(({ id }) => id);
    const counts = await this.personalProjects(ids);
    const identities = await this.database
      .of(Identity)
      .find({ where: { userId: In(ids) }, order: { provider: 'ASC' } });
    return users.map((user) => ({
      user,
      personalProjects: counts.get(user.id) ?? 0,
      identities: identities.filter(({ userId }) => userId === user.id),
    }));
  }

  // By SQL: the tables belong to rooms above.
  private async personalProjects(ids: readonly number[]): Promise<Map<number, number>> {
    const rows = await this.database.rows<{ userId: number; count: number }>(
      `SELECT n.owner_id AS "userId", count(*)::int AS count
         FROM namespaces n JOIN projects p ON p.namespace_id = n.id AND p.deleted_at IS NULL
        WHERE n.owner_id = ANY($1::int[])
        GROUP BY n.owner_id`,
      [ids],
    );
    return new Map(rows.map(({ userId, count }) => [userId, count]));
  }
}
