import { RefConflictError, StaleRefError } from './errors.js';
import { assertOid } from './names.js';
import type { RefStore } from './ref-store.js';
import { type Oid, ZERO_OID } from './types.js';

const KEPT = 'refs/keep-around/';
/** Of writers of the same refs at once, one gets there first. */
const MAX_ROUNDS = 5;

/**
 * Makes commits stay, with all they lead to, whatever becomes of branches: each gets a ref of its own
 * that no client sees. Can be repeated; all are kept or none of the new ones.
 */
export async function keepAround(refs: RefStore, oids: readonly Oid[]): Promise<void> {
  for (let round = 1; ; round += 1) {
    const missing: Oid[] = [];
    for (const oid of new Set(oids.map(assertOid))) {
      if ((await refs.get(KEPT + oid)) === null) missing.push(oid);
    }
    try {
      await refs.update(missing.map((oid) => ({ ref: KEPT + oid, oldOid: ZERO_OID, newOid: oid })));
      return;
    } catch (error) {
      const isLate = error instanceof StaleRefError || error instanceof RefConflictError;
      if (!isLate || round === MAX_ROUNDS) throw error;
    }
  }
}
