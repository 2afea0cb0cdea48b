import { DomainEvent } from '../../../platform/events/index.js';

/** Published in the unit of work that creates a project. */
@DomainEvent()
export class ProjectCreated {
  constructor(readonly projectId: number) {}
}

/** Published in the unit of work that hides deleted projects. */
@DomainEvent()
export class ProjectsRemoved {
  constructor(readonly projectIds: readonly number[]) {}
}

/** Published in the unit of work that changes the path or the namespace of a project. */
@DomainEvent()
export class ProjectMoved {
  constructor(
    readonly projectId: number,
    /** Namespace and path before the change; at least one of them differs now. */
    readonly from: { readonly namespaceId: number; readonly path: string },
  ) {}
}

/** Published in the unit of work that deletes forks or ends their fork relations. */
@DomainEvent()
export class ForksDetached {
  constructor(
    readonly projectIds: readonly number[],
    /** The user who did it; null when the forks were deleted with their namespace. */
    readonly actorId: number | null,
  ) {}
}

/** Published in the unit of work that records that a fork has its branches and tags. */
@DomainEvent()
export class RepositoryCopied {
  constructor(
    readonly projectId: number,
    /** Name of the storage root that holds the repository. */
    readonly storage: string,
  ) {}
}

/** Published in the unit of work that records that an import has succeeded. */
@DomainEvent()
export class RepositoryImported {
  constructor(
    readonly projectId: number,
    /** The user who requested the import. */
    readonly userId: number,
  ) {}
}
