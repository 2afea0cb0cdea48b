import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/index.js';
import { DomainEvents } from '../activity/index.js';
import { UserCreated } from '../users/index.js';
import { Namespace } from './namespace.entity.js';

const PUBLIC = 20;

/** Gives every new account its personal namespace (open points 5.15), in the same transaction. */
@Injectable()
export class PersonalNamespaces {
  constructor(
    private readonly database: Database,
    events: DomainEvents,
  ) {
    events.subscribe(UserCreated, (event) => this.create(event));
  }

  private async create({ user }: UserCreated): Promise<void> {
    await this.database.of(Namespace).insert({
      name: user.username,
      path: user.username,
      ownerId: user.id,
      visibilityLevel: PUBLIC,
    });
  }
}
