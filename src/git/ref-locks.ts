import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isValidRefName } from './names.js';
import { isAbsent } from './room.js';

/** git holds the lock of a ref for milliseconds; one that stays longer has lost its process. */
const HELD_AT_MOST_MS = 1_000;

/**
 * Removes the locks that a killed git left on refs; nobody could move these refs any more. Only
 * for callers that keep all other writers of the service away from the repository.
 */
export async function removeStaleRefLocks(
  repository: string,
  refs: readonly string[],
): Promise<void> {
  const named = refs.filter((ref) => ref === 'HEAD' || isValidRefName(ref));
  const paths = named.map((ref) => join(repository, `${ref}.lock`));
  const seen = await Promise.all(paths.map(mark));
  if (seen.every((before) => before === null)) return;
  // Packing refs takes such locks too, beside any push: what is gone or another by then was in use.
  await delay(HELD_AT_MOST_MS);
  for (const [index, path] of paths.entries()) {
    const before = seen[index];
    if (before !== null && before === (await mark(path))) await rm(path, { force: true });
  }
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
