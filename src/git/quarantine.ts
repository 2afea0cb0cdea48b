import { isAncestor } from './comparisons.js';
import type { Place } from './room.js';
import type { Oid } from './types.js';

/** A push that is about to be decided: sees its objects, which nobody else does yet. */
export class QuarantineView {
  private readonly answers = new Map<string, Promise<boolean>>();

  constructor(
    private readonly place: Place,
    /** Of the process that moves the refs once it may. */
    readonly processId: number,
    private readonly environment: Record<string, string>,
  ) {}

  /**
   * Whether `ancestor` can be reached from `descendant`; false means that history is rewritten. May
   * be asked before the answer is needed: each question is put to git once.
   * @throws ObjectMissingError
   */
  isAncestor(ancestor: Oid, descendant: Oid): Promise<boolean> {
    const question = `${ancestor} ${descendant}`;
    const known = this.answers.get(question);
    if (known !== undefined) return known;
    const answer = isAncestor(this.place, ancestor, descendant, this.environment);
    // Whoever waits for it hears of a failure.
    answer.catch(() => undefined);
    this.answers.set(question, answer);
    return answer;
  }
}
