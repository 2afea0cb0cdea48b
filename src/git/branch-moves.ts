import { readGraph } from './commit-graph.js';
import type { RepositoryLocation } from './runtime.js';
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
 * Finds out what a branch has got of some commits by moving, with one walk for all of them.
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
  // Where it was is a parent of what it has brought, unless it has lost that.
  const isForced = before !== null && before !== after && !isBrought(graph.position(before));
  const isIn = (oid: Oid): boolean => {
    const position = graph.position(oid);
    return position !== null && position < graph.size && isBrought(position);
  };
  const leads = graph.leadsTo((position) => isBrought(position));
  const begun = commits.filter((oid) => leads[graph.position(oid) ?? graph.size] === 1);
  return { isForced, arrived: new Set(commits.filter(isIn)), begun: new Set(begun) };
}
