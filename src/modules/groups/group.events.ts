import { DomainEvent } from '../activity/index.js';
import type { Namespace } from './namespace.entity.js';

/** A group was made and has its first owner; published in the unit of work that does it. */
@DomainEvent()
export class GroupCreated {
  constructor(readonly group: Namespace) {}
}

/** A group is gone for every reader; published in the unit of work that hides it. */
@DomainEvent()
export class GroupRemoved {
  constructor(
    /** As it was. */
    readonly group: Namespace,
  ) {}
}
