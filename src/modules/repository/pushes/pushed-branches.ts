import { type RefUpdate, ZERO_OID } from '../../../git/index.js';
import type { PushedBranch } from './push.events.js';

const HEADS = 'refs/heads/';

/** The branches among what a push has made or moved. */
export function pushedBranches(
  updates: readonly RefUpdate[],
  defaultBranch: string | null,
): PushedBranch[] {
  return updates.flatMap(({ ref, oldOid, newOid }) => {
    if (!ref.startsWith(HEADS) || newOid === ZERO_OID) return [];
    const name = ref.slice(HEADS.length);
    const before = oldOid === ZERO_OID ? null : oldOid;
    return { name, before, after: newOid, isDefault: name === defaultBranch };
  });
}

/** The names of the branches that a push has deleted. */
export function deletedBranches(updates: readonly RefUpdate[]): string[] {
  return updates
    .filter(({ ref, newOid }) => ref.startsWith(HEADS) && newOid === ZERO_OID)
    .map(({ ref }) => ref.slice(HEADS.length));
}
