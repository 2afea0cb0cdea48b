import { DomainEvent } from '../../activity/index.js';

/**
 * A project's repository was filled from another server and has its refs. Published in the unit of
 * work that ends the import.
 */
@DomainEvent()
export class RepositoryImported {
  constructor(
    readonly projectId: number,
    /** Who created the project. */
    readonly userId: number,
  ) {}
}
