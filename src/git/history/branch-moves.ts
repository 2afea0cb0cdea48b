import type { Oid } from '../model/types.js';
import type { RepositoryLocation } from '../storage/repository-location.js';
import { readGraph } from './commit-graph.js';

/** A change of the target of a branch. */
export interface BranchMove {
  /** Null for a branch that is new. */
  before: Oid | null;
  after: Oid;
}

/** What a move means for commits that may be merged into the branch. */
export interface MoveEffects {
  /** Whether the branch lost commits. */
  isForced: boolean;
  /** Commits that are reachable from the branch since the move. */
  arrived: ReadonlySet<Oid>;
  /** Commits with an ancestor that is reachable since the move; includes `arrived`. */
  begun: ReadonlySet<Oid>;
}

/**
 * Determines which of some commits a move has brought into a branch, with one walk for all of them.
 * @throws ObjectMissingError
 */
export async function effectsOf(
  location: RepositoryLocation,
  { before, after }: BranchMove,
  commits: readonly Oid[],
): Promise<MoveEffects> {
  const ends = { tips: [after, ...commits], exclude: before === null ? [] : [before] };
  const graph = await readGraph(location, ends);
  const start = graph.position(after);
  const brought = await graph.reach([start === null ? [] : [start]]);
  const isBrought = (position: number | null): boolean =>
    position !== null && brought[position] !== 0;
  // The old target is a parent of the new commits, unless the branch has lost it.
  const isForced = before !== null && before !== after && !isBrought(graph.position(before));
  const isIn = (oid: Oid): boolean => {
    const position = graph.position(oid);
    return position !== null && position < graph.size && isBrought(position);
  };
  const leads = graph.leadsTo((position) => isBrought(position));
  const begun = commits.filter((oid) => leads[graph.position(oid) ?? graph.size] === 1);
  return { isForced, arrived: new Set(commits.filter(isIn)), begun: new Set(begun) };
}
