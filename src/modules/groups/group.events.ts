import type { Namespace } from './namespace.entity.js';

/** A group was made and has its first owner; published in the unit of work that does it. */
export class GroupCreated {
  constructor(readonly group: Namespace) {}
}

/** A group is gone for every reader; published in the unit of work that hides it. */
export class GroupRemoved {
  constructor(
    /** As it was. */
    readonly group: Namespace,
  ) {}
}
