import { isAncestor } from './comparisons.js';
import type { Place } from './room.js';
import type { Oid } from './types.js';

/** A push that is about to be decided: sees its objects, which nobody else does yet. */
export class QuarantineView {
  constructor(
    private readonly place: Place,
    /** Of the process that moves the refs once it may. */
    readonly processId: number,
    private readonly environment: Record<string, string>,
  ) {}

  /**
   * Whether `ancestor` can be reached from `descendant`; false means that history is rewritten.
   * @throws ObjectMissingError
   */
  async isAncestor(ancestor: Oid, descendant: Oid): Promise<boolean> {
    return isAncestor(this.place, ancestor, descendant, this.environment);
  }
}
