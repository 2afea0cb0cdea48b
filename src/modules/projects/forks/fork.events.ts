import { DomainEvent } from '../../activity/index.js';

/**
 * Projects are no forks any more: they are removed, or their relation is. Published in the unit of work
 * that does it; nothing new comes from them to what they were forked from.
 */
@DomainEvent()
export class ForksDetached {
  constructor(
    readonly projectIds: readonly number[],
    /** Whose doing it is; null where they went with a namespace. */
    readonly actorId: number | null,
  ) {}
}

/** A fork has got its branches and tags. Published in the unit of work that records it. */
@DomainEvent()
export class RepositoryCopied {
  constructor(
    readonly projectId: number,
    /** Name of the storage root that holds the repository. */
    readonly storage: string,
  ) {}
}
