import { createHash } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';

/**
 * Where something of a project lies below a root: `@hashed/ab/cd`, taken from a hash of the project's
 * ID, so that no folder grows too large and none moves when a project is renamed.
 */
export function hashedFolder(root: string, projectId: number): string {
  const hash = createHash('sha256').update(String(projectId)).digest('hex');
  return path.join(root, '@hashed', hash.slice(0, 2), hash.slice(2, 4));
}

/** All such folders that there are, one at a time. */
export async function* hashedFolders(root: string): AsyncGenerator<string> {
  const hashed = path.join(root, '@hashed');
  for (const outer of await foldersIn(hashed)) {
    for (const inner of await foldersIn(path.join(hashed, outer))) {
      yield path.join(hashed, outer, inner);
    }
  }
}

/** The names of the folders in a folder; none when it is not there. */
export async function foldersIn(folder: string): Promise<string[]> {
  const found: Dirent[] = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return found.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}
