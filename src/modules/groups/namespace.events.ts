import { DomainEvent } from '../activity/index.js';

/**
 * A group, or the personal namespace of a deleted account, was marked as deleted; published in the
 * transaction that does it. Whoever keeps something in namespaces hides it at once.
 */
@DomainEvent()
export class NamespaceDeleted {
  constructor(readonly namespaceId: number) {}
}
