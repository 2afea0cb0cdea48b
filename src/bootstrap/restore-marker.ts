import { access, rm } from 'node:fs/promises';
import path from 'node:path';
import { syncFolder, writeNewFile } from '../platform/config/index.js';

/** Exists in a `DATA_DIR` from the first change of a restore to its last. */
const MARKER = 'restore.incomplete';

/** A restore was interrupted: rows and files do not belong together. */
export class IncompleteRestoreError extends Error {
  override readonly name = 'IncompleteRestoreError';

  constructor(dataDir: string) {
    super(
      `A restore into ${dataDir} was interrupted, so that its data is incomplete: repeat \`trellis restore\` with --force.`,
    );
  }
}

/** Marks a `DATA_DIR` as incomplete until `endRestore`, also after a crash. */
export async function beginRestore(dataDir: string): Promise<void> {
  if (await isRestoreIncomplete(dataDir)) return;
  await writeNewFile(path.join(dataDir, MARKER), '');
  await syncFolder(dataDir);
}

export async function endRestore(dataDir: string): Promise<void> {
  await rm(path.join(dataDir, MARKER));
  await syncFolder(dataDir);
}

/** @throws IncompleteRestoreError if a restore was interrupted */
export async function requireRestored(dataDir: string): Promise<void> {
  if (await isRestoreIncomplete(dataDir)) throw new IncompleteRestoreError(dataDir);
}

/** Whether a restore was interrupted, or is under way. */
export function isRestoreIncomplete(dataDir: string): Promise<boolean> {
  return access(path.join(dataDir, MARKER)).then(
    () => true,
    () => false,
  );
}
