import { Injectable } from '@nestjs/common';
import { DomainEvents } from '../activity/index.js';
import { NamespaceDeleted } from '../groups/index.js';
import { ProjectRemoval } from './project-removal.js';

/** The projects of a namespace go with it, in the same transaction (open points 5.12). */
@Injectable()
export class NamespaceDeletion {
  constructor(events: DomainEvents, removal: ProjectRemoval) {
    events.subscribe(NamespaceDeleted, ({ namespaceId }) => removal.removeAllIn(namespaceId));
  }
}
