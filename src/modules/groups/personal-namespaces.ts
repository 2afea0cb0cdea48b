import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/index.js';
import { OnDomainEvent } from '../activity/index.js';
import { UserCreated, UserDeleted, UserRenamed } from '../users/index.js';
import { NamespaceRemoval } from './namespace-removal.js';
import { Namespace } from './namespace.entity.js';
import { NamespacesRepository } from './namespaces.repository.js';

const PUBLIC = 20;

/**
 * Gives every new account its personal namespace, renames it with the account, and takes it away from a
 * deleted one together with the account's place in groups (open points 5.15), each in the same
 * transaction.
 */
@Injectable()
export class PersonalNamespaces {
  constructor(
    private readonly database: Database,
    private readonly namespaces: NamespacesRepository,
    private readonly removal: NamespaceRemoval,
  ) {}

  @OnDomainEvent(UserCreated)
  async create({ user }: UserCreated): Promise<void> {
    await this.database.of(Namespace).insert({
      name: user.username,
      path: user.username,
      ownerId: user.id,
      visibilityLevel: PUBLIC,
    });
  }

  @OnDomainEvent(UserRenamed)
  async rename({ userId, username }: UserRenamed): Promise<void> {
    const namespace = { name: username, path: username };
    await this.database.of(Namespace).update({ ownerId: userId }, namespace);
  }

  @OnDomainEvent(UserDeleted)
  async remove({ userId }: UserDeleted): Promise<void> {
    await this.database.rows('DELETE FROM group_members WHERE user_id = $1', [userId]);
    const namespace = await this.namespaces.findPersonal(userId);
    if (namespace !== null) await this.removal.run(namespace.id);
  }
}
