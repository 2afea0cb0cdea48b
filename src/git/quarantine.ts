import { resolve } from 'node:path';
import { isAncestor } from './comparisons.js';
import { leadingCommits } from './pushed-pack.js';
import type { Place } from './room.js';
import type { Oid } from './types.js';

/** A push that is about to be decided: sees its objects, which nobody else does yet. */
export class QuarantineView {
  private readonly answers = new Map<string, Promise<boolean>>();
  private newest: ReturnType<typeof leadingCommits> | undefined;

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
    const answer = this.find(ancestor, descendant);
    // Whoever waits for it hears of a failure.
    answer.catch(() => undefined);
    this.answers.set(question, answer);
    return answer;
  }

  private async find(ancestor: Oid, descendant: Oid): Promise<boolean> {
    if (await this.followsInPack(ancestor, descendant)) return true;
    return isAncestor(this.place, ancestor, descendant, this.environment);
  }

  /** A few commits on top of what was there, which is what most pushes are, need no process. */
  private async followsInPack(ancestor: Oid, descendant: Oid): Promise<boolean> {
    const folder = this.environment['GIT_OBJECT_DIRECTORY'];
    if (folder === undefined) return false;
    this.newest ??= leadingCommits(resolve(this.place.path, folder));
    const parents = await this.newest;
    const seen = new Set([descendant]);
    for (const oid of seen) for (const parent of parents.get(oid) ?? []) seen.add(parent);
    return seen.has(ancestor);
  }
}
