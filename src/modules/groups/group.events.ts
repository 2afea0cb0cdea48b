import { DomainEvent } from '../../platform/events/index.js';
import type { Namespace } from './namespaces/namespace.entity.js';

/** A group was created with its first owner; published in the transaction that inserts it. */
@DomainEvent()
export class GroupCreated {
  constructor(readonly group: Namespace) {}
}

/** A group was marked as deleted; published in the transaction that marks it. */
@DomainEvent()
export class GroupRemoved {
  constructor(
    /** As it was before. */
    readonly group: Namespace,
  ) {}
}

/**
 * A group, or the personal namespace of a deleted account, was marked as deleted; published in the
 * transaction that marks it. Subscribers hide what belongs to the namespace at once.
 */
@DomainEvent()
export class NamespaceDeleted {
  constructor(readonly namespaceId: number) {}
}
