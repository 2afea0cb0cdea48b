import { type RefUpdate, ZERO_OID } from '../../../git/index.js';
import type { Brought } from './brought-commits.js';
import type { PushedBranch } from './push.events.js';

const HEADS = 'refs/heads/';

/** The branches among what a push has made or moved. */
export function pushedBranches(
  updates: readonly RefUpdate[],
  defaultBranch: string | null,
  brought: Brought,
): PushedBranch[] {
  return updates.flatMap(({ ref, oldOid, newOid }) => {
    if (!ref.startsWith(HEADS) || newOid === ZERO_OID) return [];
    const name = ref.slice(HEADS.length);
    const before = oldOid === ZERO_OID ? null : oldOid;
    const newest = brought.get(ref)?.newest ?? [];
    return { name, before, after: newOid, isDefault: name === defaultBranch, newest };
  });
}

/** The names of the branches that a push has deleted. */
export function deletedBranches(updates: readonly RefUpdate[]): string[] {
  return updates
    .filter(({ ref, newOid }) => ref.startsWith(HEADS) && newOid === ZERO_OID)
    .map(({ ref }) => ref.slice(HEADS.length));
}
