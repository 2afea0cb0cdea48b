import { gitCommands, type GitCommand } from './command-table.js';
import { GitProcessError } from './errors.js';
import { holdHousekeepingLock } from './housekeeping-lock.js';
import { removeLeftovers } from './leftovers.js';
import { countObjects } from './object-folder.js';
import type { RepositoryLocation } from './runtime.js';

/** Packing a large repository takes its time. */
const STEP_LIMIT_MS = 2 * 60 * 60_000;

export interface HousekeepingResult {
  packsBefore: number;
  packsAfter: number;
  looseBefore: number;
  looseAfter: number;
}

/**
 * Every step keeps all objects and replaces files by renaming, under git's own locks. Packs are
 * rolled up in geometric progression: each run rewrites only what is small beside the rest.
 */
export async function housekeeping(
  location: RepositoryLocation,
  signal: AbortSignal | undefined,
): Promise<HousekeepingResult> {
  await location.identity();
  const lock = await holdHousekeepingLock(location.path);
  try {
    await removeLeftovers(location.path);
    const before = await countObjects(location.path);
    const step = async (command: GitCommand): Promise<void> => {
      await lock.refresh();
      await location.run(command, { timeoutMs: STEP_LIMIT_MS, signal }, 'maintenance');
    };
    await step(gitCommands.packRefs(location.path));
    if (before.packs + before.loose > 0) {
      await step(gitCommands.repack(location.path));
      await tolerant(() => step(gitCommands.writeBitmaps(location.path)));
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
 * Bitmaps need every object reachable from the refs to be packed. A push in the meantime can break
 * that; the next run writes them.
 */
async function tolerant(step: () => Promise<void>): Promise<void> {
  try {
    await step();
  } catch (error) {
    if (!(error instanceof GitProcessError) || error.exitCode === null) throw error;
  }
}
