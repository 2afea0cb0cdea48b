import { DomainEvent } from '../activity/index.js';

/** A project is there; published in the unit of work that makes it. */
@DomainEvent()
export class ProjectCreated {
  constructor(readonly projectId: number) {}
}

/** Projects are gone for every reader; published in the unit of work that hides them. */
@DomainEvent()
export class ProjectsRemoved {
  constructor(readonly projectIds: readonly number[]) {}
}

/** A project has another path or another namespace; published in the unit of work that moves it. */
@DomainEvent()
export class ProjectMoved {
  constructor(
    readonly projectId: number,
    /** Where it was: one of the two differs from where it is. */
    readonly from: { readonly namespaceId: number; readonly path: string },
  ) {}
}
