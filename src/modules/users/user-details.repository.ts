import { Injectable } from '@nestjs/common';
import { BatchedReads, Database, plannedOnce } from '../../platform/database/index.js';
import type { Identity } from './identity.entity.js';
import type { User } from './user.entity.js';

/** What the full view of an account adds from other tables. */
interface Details {
  /** How many projects lie in the personal namespace. */
  personalProjects: number;
  /** By the name of the provider. */
  identities: readonly Pick<Identity, 'provider' | 'externUid'>[];
}

/** An account with its details. */
export interface DescribedUser extends Details {
  user: User;
}

@Injectable()
export class UserDetailsRepository {
  private readonly details = new BatchedReads<number, Details>({
    key: (id) => id,
    answer: (ids) => this.read(ids),
  });

  constructor(private readonly database: Database) {}

  async describe(user: User): Promise<DescribedUser> {
    const { personalProjects, identities } = await this.details.ask(user.id);
    return { user, personalProjects, identities };
  }

  /** In the order given; one statement, however many accounts there are. */
  async describeAll(users: readonly User[]): Promise<DescribedUser[]> {
    if (users.length === 0) return [];
    const details = await this.read(users.map(({ id }) => id));
    return users.map((user, index) => ({ user, ...(details[index] as Details) }));
  }

  // Projects and namespaces by SQL alone: the tables belong to rooms above.
  private read(ids: readonly number[]): Promise<Details[]> {
    return this.database.rows<Details>(
      `SELECT (SELECT count(*)::int
                 FROM namespaces n JOIN projects p ON p.namespace_id = n.id AND p.deleted_at IS NULL
                WHERE n.owner_id = q.id) AS "personalProjects",
              (SELECT coalesce(json_agg(json_build_object(
                        'provider', i.provider, 'externUid', i.extern_uid) ORDER BY i.provider), '[]')
                 FROM identities i WHERE i.user_id = q.id) AS identities
         FROM unnest(${plannedOnce('$1', 'int')}) WITH ORDINALITY AS q (id, position)
        ORDER BY q.position`,
      [ids],
    );
  }
}
