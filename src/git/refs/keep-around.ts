import { RefConflictError, StaleRefError } from '../model/errors.js';
import { assertOid } from '../model/names.js';
import { type Oid, ZERO_OID } from '../model/types.js';
import type { RefStore } from './ref-store.js';

const KEPT = 'refs/keep-around/';
/** Concurrent writers of the same refs make each other fail. */
const MAX_ROUNDS = 5;

/**
 * Keeps commits and everything reachable from them, even if their branches are deleted, by one hidden ref for
 * each commit. Idempotent. Creates all missing refs or none.
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
