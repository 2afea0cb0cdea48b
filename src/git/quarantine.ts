import { resolve } from 'node:path';
import { isAncestor } from './comparisons.js';
import { folderSize } from './folder-size.js';
import { FEW_RANGES, PushHistory, type PushedRange, SHORT_LINE } from './pushed-commits.js';
import { leadingCommits } from './pushed-pack.js';
import type { RepositoryLocation } from './runtime.js';
import type { Oid } from './types.js';

/** A push that is about to be decided: sees its objects, which nobody else does yet. */
export class QuarantineView {
  private readonly answers = new Map<string, Promise<boolean>>();
  private newest: ReturnType<typeof leadingCommits> | undefined;
  private history: PushHistory | null = null;

  constructor(
    private readonly location: RepositoryLocation,
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

  /**
   * Finds what the push brings to some refs, before anything of it is accepted. Null where that is so little that
   * it is quicker to look when it is needed.
   * @throws ObjectMissingError when one of the ends is missing
   */
  async readHistory(ranges: readonly PushedRange[]): Promise<PushHistory | null> {
    const lines = await Promise.all(ranges.map((range) => this.isShortLine(range)));
    if (ranges.length <= FEW_RANGES && lines.every(Boolean)) return null;
    this.history = await PushHistory.read(this.location, ranges, this.environment);
    await this.history.commitsOf(ranges, this.environment);
    return this.history;
  }

  /** Bytes that the objects of the push take on the disk, indexes included. */
  async size(): Promise<number> {
    const folder = this.environment['GIT_OBJECT_DIRECTORY'];
    return folder === undefined ? 0 : folderSize(resolve(this.location.path, folder));
  }

  private async find(ancestor: Oid, descendant: Oid): Promise<boolean> {
    if (await this.followsInPack(ancestor, descendant)) return true;
    if ((await this.history?.isKnownAncestor(ancestor, descendant)) === true) return true;
    return isAncestor(this.location, ancestor, descendant, this.environment);
  }

  /** Whether a few commits of a small pack lead to the base, with one parent each. */
  private async isShortLine({ tip, base }: PushedRange): Promise<boolean> {
    const parents = await this.leadingCommits();
    let at: Oid | undefined = tip;
    for (let length = 0; length < SHORT_LINE && at !== base; length += 1) {
      const known: readonly Oid[] | undefined = at === undefined ? undefined : parents.get(at);
      if (known === undefined || known.length > 1) return false;
      if (known.length === 0) return base === null;
      at = known[0];
    }
    return at === base;
  }

  /** A few commits on top of what was there, which is what most pushes are, need no process. */
  private async followsInPack(ancestor: Oid, descendant: Oid): Promise<boolean> {
    const parents = await this.leadingCommits();
    const seen = new Set([descendant]);
    for (const oid of seen) for (const parent of parents.get(oid) ?? []) seen.add(parent);
    return seen.has(ancestor);
  }

  private leadingCommits(): ReturnType<typeof leadingCommits> {
    const folder = this.environment['GIT_OBJECT_DIRECTORY'];
    if (folder === undefined) return Promise.resolve(new Map());
    this.newest ??= leadingCommits(resolve(this.location.path, folder));
    return this.newest;
  }
}
