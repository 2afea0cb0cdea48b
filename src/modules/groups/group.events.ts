import type { Namespace } from './namespaces/namespace.entity.js';

/** A group was created with its first owner; published in the transaction that inserts it. */
export class GroupCreated {
  constructor(readonly group: Namespace) {}
}

/** A group was marked as deleted; published in the transaction that marks it. */
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
export class NamespaceDeleted {
  constructor(readonly namespaceId: number) {}
}
