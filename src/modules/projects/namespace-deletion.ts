import { Injectable } from '@nestjs/common';
import { OnDomainEvent } from '../activity/index.js';
import { NamespaceDeleted } from '../groups/index.js';
import { ProjectRemoval } from './project-removal.js';

/**
 * The projects of a namespace go with it, in the same transaction
 * (docs/reference/groups.md#delete-groupsid).
 */
@Injectable()
export class NamespaceDeletion {
  constructor(private readonly removal: ProjectRemoval) {}

  @OnDomainEvent(NamespaceDeleted)
  removeProjects({ namespaceId }: NamespaceDeleted): Promise<void> {
    return this.removal.removeAllIn(namespaceId);
  }
}
