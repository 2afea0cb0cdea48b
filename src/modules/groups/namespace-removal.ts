import { Injectable } from '@nestjs/common';
import { Outbox } from '../../platform/queue/index.js';
import { AccessEnded } from '../access/index.js';
import { DomainEvents } from '../activity/index.js';
import { removeNamespace } from './group.jobs.js';
import { NamespaceDeleted } from './namespace.events.js';
import type { Namespace } from './namespace.entity.js';
import { NamespacesRepository } from './namespaces.repository.js';

/** Takes a namespace with all its projects out of everybody's sight, in one transaction. */
@Injectable()
export class NamespaceRemoval {
  constructor(
    private readonly namespaces: NamespacesRepository,
    private readonly events: DomainEvents,
    private readonly outbox: Outbox,
  ) {}

  /**
   * In the caller's unit of work. Background jobs remove the projects, and then the namespace's row.
   * @returns the namespace as it was, null when it is gone already
   */
  async run(id: number): Promise<Namespace | null> {
    const namespace = await this.namespaces.lock(id);
    if (namespace === null) return null;
    const projectIds = await this.namespaces.markDeleted(id);
    await this.events.publish(new NamespaceDeleted(id));
    if (projectIds.length > 0) await this.events.publish(new AccessEnded({ projectIds }, null));
    await this.outbox.add(removeNamespace.with({ namespaceId: id }));
    return namespace;
  }
}
