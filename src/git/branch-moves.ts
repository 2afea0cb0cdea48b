import type { Comparisons } from './comparisons.js';
import { CommitWalk } from './commit-walk.js';
import type { Place } from './room.js';
import type { Oid } from './types.js';

/** A branch that has moved. */
export interface BranchMove {
  /** Null for a branch that is new. */
  before: Oid | null;
  after: Oid;
}

/** What it means to commits that were to come into the branch. */
export interface MoveEffects {
  /** Whether the branch lost commits that it had. */
  isForced: boolean;
  /** Those that the branch has since. */
  arrived: ReadonlySet<Oid>;
  /** Those of which it has at least an ancestor since that it had not before; `arrived` included. */
  begun: ReadonlySet<Oid>;
}

/**
 * Finds out what a branch has got of some commits by moving, with one walk for all of them where that
 * is not too far.
 * @throws ObjectMissingError
 */
export async function effectsOf(
  place: Place,
  comparisons: Comparisons,
  move: BranchMove,
  commits: readonly Oid[],
): Promise<MoveEffects> {
  const { before, after } = move;
  const isForced = before !== null && !(await comparisons.isAncestor(before, after));
  if (commits.length === 0) return { isForced, arrived: new Set(), begun: new Set() };
  const walk = await CommitWalk.of(place, [after, ...commits], before);
  if (walk === null) return { isForced, ...(await oneByOne(comparisons, move, commits)) };
  const brought = walk.from(after);
  const arrived = commits.filter((oid) => brought.has(oid));
  const begun = commits.filter((oid) => walk.leadsTo(brought, oid));
  return { isForced, arrived: new Set(arrived), begun: new Set(begun) };
}

async function oneByOne(
  comparisons: Comparisons,
  { before, after }: BranchMove,
  commits: readonly Oid[],
): Promise<Pick<MoveEffects, 'arrived' | 'begun'>> {
  const arrived = new Set<Oid>();
  const begun = new Set<Oid>();
  for (const oid of commits) {
    const base = await comparisons.mergeBase(oid, after);
    const wasThere =
      before !== null && base !== null && (await comparisons.isAncestor(base, before));
    if (base === null || wasThere) continue;
    begun.add(oid);
    if (base === oid) arrived.add(oid);
  }
  return { arrived, begun };
}
