import { open, readdir } from 'node:fs/promises';
import path from 'node:path';
import { isAbsent } from '../git/index.js';
import { hashedFolder } from '../modules/storage/index.js';
import type { Config } from '../platform/config/index.js';
import type { BackupTarget } from './files/backup-target.js';
import { UPLOADS } from './manifest.js';

/** Copies the uploads of a project. Their files never change, and appear complete. */
export async function copyUploads(
  { dataDir }: Config,
  projectId: number,
  target: BackupTarget,
): Promise<void> {
  const folder = path.join(hashedFolder(UPLOADS, projectId), String(projectId));
  for (const name of await filesBelow(path.join(dataDir, folder))) {
    const file = await open(path.join(dataDir, folder, name));
    try {
      const { size } = await file.stat();
      const copy = path.join(folder, name);
      if (!(await target.reuse(copy, size))) await target.addFile(copy, file);
    } finally {
      await file.close();
    }
  }
}

/** Lists the files below a folder, by paths relative to it; none when it does not exist. */
async function filesBelow(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)));
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}
