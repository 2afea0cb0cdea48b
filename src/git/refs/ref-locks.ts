import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isValidRefName } from '../model/names.js';
import { isAbsent } from '../storage/files.js';
import { HOUSEKEEPING_LOCK } from '../storage/housekeeping-lock.js';

/** git holds the lock of a ref for milliseconds. An older lock has lost its process. */
const HELD_AT_MOST_MS = 1_000;

/** Deleting refs takes this lock, too. The new file is removed before the lock that protects it. */
const PACKED_REFS = ['packed-refs.new', 'packed-refs.lock'];

/**
 * Removes the locks that a killed git left on refs, which would prevent any change of these refs. The caller has
 * to exclude all other writers of the service.
 */
export async function removeStaleRefLocks(
  repository: string,
  refs: readonly string[],
): Promise<void> {
  const named = refs.filter((ref) => ref === 'HEAD' || isValidRefName(ref));
  const locks = [...named.map((ref) => `${ref}.lock`), ...PACKED_REFS];
  const paths = locks.map((lock) => join(repository, lock));
  const seen = await Promise.all(paths.map(mark));
  if (seen.every((before) => before === null)) return;
  const packing = await isPackingRefs(repository);
  // Packing refs takes such locks concurrently. A lock that disappears or changes meanwhile was in use.
  await delay(HELD_AT_MOST_MS);
  for (const [index, path] of paths.entries()) {
    // Packing all refs may hold these locks for longer.
    if (packing && PACKED_REFS.includes(locks[index] ?? '')) continue;
    const before = seen[index];
    if (before !== null && before === (await mark(path))) await rm(path, { force: true });
  }
}

async function isPackingRefs(repository: string): Promise<boolean> {
  return (await mark(join(repository, HOUSEKEEPING_LOCK))) !== null;
}

async function mark(path: string): Promise<string | null> {
  try {
    const { ino, mtimeNs } = await stat(path, { bigint: true });
    return `${ino}:${mtimeNs}`;
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}
