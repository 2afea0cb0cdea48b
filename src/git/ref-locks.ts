import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { HOUSEKEEPING_LOCK } from './housekeeping-lock.js';
import { isValidRefName } from './names.js';
import { isAbsent } from './runtime.js';

/** git holds the lock of a ref for milliseconds; one that stays longer has lost its process. */
const HELD_AT_MOST_MS = 1_000;

/** Deleting refs takes them too. The new file goes before its lock, under which alone it is written. */
const PACKED_REFS = ['packed-refs.new', 'packed-refs.lock'];

/**
 * Removes the locks that a killed git left on refs; nobody could move these refs any more. Only
 * for callers that keep all other writers of the service away from the repository.
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
  // Packing refs takes such locks too, beside any push: what is gone or another by then was in use.
  await delay(HELD_AT_MOST_MS);
  for (const [index, path] of paths.entries()) {
    // All refs together may take it longer.
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
