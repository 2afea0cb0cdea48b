import { createHash } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';

/**
 * Returns the folder below a root that holds a project's files: `@hashed/ab/cd`, from a hash of the project's
 * ID. No folder grows too large, and none moves when a project is renamed.
 */
export function hashedFolder(root: string, projectId: number): string {
  const hash = createHash('sha256').update(String(projectId)).digest('hex');
  return path.join(root, '@hashed', hash.slice(0, 2), hash.slice(2, 4));
}

/** Returns the path of a project's repository below the root of its storage. */
export const repositoryFolder = (root: string, projectId: number): string =>
  path.join(hashedFolder(root, projectId), `${String(projectId)}.git`);

/** Yields the existing hashed folders below a root. */
export async function* hashedFolders(root: string): AsyncGenerator<string> {
  const hashed = path.join(root, '@hashed');
  for (const outer of await foldersIn(hashed)) {
    for (const inner of await foldersIn(path.join(hashed, outer))) {
      yield path.join(hashed, outer, inner);
    }
  }
}

/** Lists the names of the folders in a folder; none when it does not exist. */
export async function foldersIn(folder: string): Promise<string[]> {
  const found: Dirent[] = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return found.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}
