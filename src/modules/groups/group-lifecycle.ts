import { Injectable } from '@nestjs/common';
import { unauthenticated } from '../../platform/errors/index.js';
import { DomainEvents } from '../activity/index.js';
import { GroupCreated, GroupRemoved } from './group.events.js';
import { GroupsRepository, type NewGroup } from './groups.repository.js';
import { NamespaceRemoval } from './namespace-removal.js';
import type { Namespace } from './namespace.entity.js';

/** Brings groups into being and takes them away, each in the caller's unit of work. */
@Injectable()
export class GroupLifecycle {
  constructor(
    private readonly groups: GroupsRepository,
    private readonly removal: NamespaceRemoval,
    private readonly events: DomainEvents,
  ) {}

  /** @throws DomainError unauthenticated for an owner whose account is being deleted */
  async begin(values: NewGroup, ownerId: number): Promise<Namespace> {
    const group = await this.groups.insert(values);
    if (!(await this.groups.addOwner(group.id, ownerId))) throw unauthenticated();
    await this.events.publish(new GroupCreated(group));
    return group;
  }

  /** @returns the group as it was, null when it is gone already */
  async end(id: number): Promise<Namespace | null> {
    const group = await this.removal.run(id);
    if (group !== null) await this.events.publish(new GroupRemoved(group));
    return group;
  }
}
