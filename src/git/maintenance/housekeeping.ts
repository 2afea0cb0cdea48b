import { join } from 'node:path';
import { GitProcessError } from '../model/errors.js';
import { type GitCommand, gitCommands } from '../process/command-table.js';
import { removeStalePackingLocks } from '../refs/stale-locks.js';
import { namesIn } from '../storage/files.js';
import { holdHousekeepingLock } from '../storage/housekeeping-lock.js';
import type { RepositoryLocation } from '../storage/repository-location.js';
import { removeLeftovers } from './leftovers.js';

/** Packing a large repository takes long. */
const STEP_LIMIT_MS = 2 * 60 * 60_000;

export interface HousekeepingResult {
  packsBefore: number;
  packsAfter: number;
  looseBefore: number;
  looseAfter: number;
}

/**
 * Packs refs and objects, and writes indexes. Every step keeps all objects and replaces files by renaming, under
 * the locks of git. Packs are rolled up in geometric progression, so that each run rewrites small packs only.
 */
export async function housekeeping(
  location: RepositoryLocation,
  signal: AbortSignal | undefined,
): Promise<HousekeepingResult> {
  await location.identity();
  const lock = await holdHousekeepingLock(location.path, location.runtime.lockOwners);
  try {
    if (lock.isTakenOver) await removeStalePackingLocks(location.path);
    await removeLeftovers(location.path);
    const before = await countObjects(location.path);
    const step = async (command: GitCommand): Promise<void> => {
      await lock.refresh();
      const options = { timeoutMs: STEP_LIMIT_MS, signal, groupFile: lock.path };
      await location.run(command, options, 'maintenance');
    };
    await step(gitCommands.packRefs(location.path));
    if (before.packs + before.loose > 0) {
      await step(gitCommands.repack(location.path));
      await ignoreFailure(() => step(gitCommands.writeBitmaps(location.path)));
      await step(gitCommands.writeCommitGraph(location.path));
    }
    const after = await countObjects(location.path);
    return {
      packsBefore: before.packs,
      packsAfter: after.packs,
      looseBefore: before.loose,
      looseAfter: after.loose,
    };
  } finally {
    await lock.release();
  }
}

/**
 * Ignores the failure of a step. Bitmaps need all reachable objects to be packed; a concurrent push can prevent
 * that, and the next run writes them.
 */
async function ignoreFailure(step: () => Promise<void>): Promise<void> {
  try {
    await step();
  } catch (error) {
    if (!(error instanceof GitProcessError) || error.exitCode === null) throw error;
  }
}

interface ObjectCounts {
  packs: number;
  loose: number;
}

async function countObjects(repository: string): Promise<ObjectCounts> {
  const objects = join(repository, 'objects');
  const packs = (await namesIn(join(objects, 'pack'))).filter((name) => name.endsWith('.pack'));
  let loose = 0;
  for (const folder of await namesIn(objects)) {
    if (!/^[0-9a-f]{2}$/.test(folder)) continue;
    const files = await namesIn(join(objects, folder));
    loose += files.filter((name) => /^[0-9a-f]{38}$/.test(name)).length;
  }
  return { packs: packs.length, loose };
}
