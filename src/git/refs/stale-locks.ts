import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isValidRefName } from '../model/names.js';
import type { LockOwners } from '../process/lock-owners.js';
import { statIfPresent } from '../storage/file-mark.js';
import { isHousekeepingUnderWay } from '../storage/housekeeping-lock.js';

/** git holds the lock of a ref for milliseconds. An older lock has lost its process. */
const HELD_AT_MOST_MS = 1_000;
/** git holds the lock of the packed refs while it writes all of them. */
const PACKED_AT_MOST_MS = 10_000;

/** Deleting refs takes this lock, too. The new file is removed before the lock that protects it. */
const PACKED_REFS_LOCKS = ['packed-refs.new', 'packed-refs.lock'];

/**
 * Removes the locks that a killed git left on refs, which would prevent any change of these refs. The caller has
 * to exclude all other writers of the service. A git that still runs, on a machine that cannot be reached, cannot
 * change a ref without the lock that it had.
 */
export async function removeStaleRefLocks(
  repository: string,
  refs: readonly string[],
  owners: LockOwners,
): Promise<void> {
  const named = refs.filter((ref) => ref === 'HEAD' || isValidRefName(ref));
  const locks = [...named.map((ref) => `${ref}.lock`), ...PACKED_REFS_LOCKS];
  // Packing all refs may hold the locks of the packed refs for longer.
  const isKept = async (lock: string): Promise<boolean> =>
    PACKED_REFS_LOCKS.includes(lock) && (await isHousekeepingUnderWay(repository, owners));
  await removeUnchanged(repository, locks, HELD_AT_MOST_MS, isKept);
}

/** Removes the locks of a killed git that was packing refs, while a push may hold the same locks for a moment. */
export async function removeStalePackingLocks(repository: string): Promise<void> {
  await removeUnchanged(repository, PACKED_REFS_LOCKS, PACKED_AT_MOST_MS);
}

/**
 * Removes those of some files that are the same after some time. Packing refs takes the locks of refs concurrently: one that
 * disappears or changes meanwhile was in use.
 */
async function removeUnchanged(
  repository: string,
  names: readonly string[],
  waitMs: number,
  isKept: (name: string) => Promise<boolean> = () => Promise.resolve(false),
): Promise<void> {
  const marks = names.map((name) => markOf(join(repository, name)));
  const seen = await Promise.all(marks);
  if (seen.every((before) => before === null)) return;
  await delay(waitMs);
  for (const [index, name] of names.entries()) {
    const path = join(repository, name);
    const before = seen[index];
    if (before === null || before !== (await markOf(path)) || (await isKept(name))) continue;
    await rm(path, { force: true });
  }
}

async function markOf(path: string): Promise<string | null> {
  const found = await statIfPresent(path);
  return found && `${found.ino}:${found.mtimeNs}`;
}
