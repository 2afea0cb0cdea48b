import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fallbackIfAbsent } from './files.js';

/** Files whose metadata is read at once. */
const AT_ONCE = 32;
/** Folders of objects that are not accepted yet. */
const QUARANTINE = /^(?:tmp_objdir-|incoming-)/;

/**
 * Returns the total length of all files below a folder, in bytes. Files that are deleted meanwhile and folders
 * that do not exist count as 0.
 * @param isSkipped returns whether to leave out a folder, by its path
 */
export async function folderSize(
  folder: string,
  isSkipped: (path: string) => boolean = () => false,
): Promise<number> {
  const entries = await fallbackIfAbsent(readdir(folder, { withFileTypes: true }), []);
  let bytes = 0;
  const files: string[] = [];
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (!entry.isDirectory()) files.push(path);
    else if (!isSkipped(path)) bytes += await folderSize(path, isSkipped);
  }
  for (let at = 0; at < files.length; at += AT_ONCE) {
    const found = files.slice(at, at + AT_ONCE).map((path) => fallbackIfAbsent(lstat(path), null));
    for (const file of await Promise.all(found)) bytes += file?.size ?? 0;
  }
  return bytes;
}

/** Returns the size of the folder of a repository in bytes, without objects in quarantine. */
export function repositorySize(repository: string): Promise<number> {
  const objects = join(repository, 'objects', '/');
  return folderSize(
    repository,
    (path) => path.startsWith(objects) && QUARANTINE.test(path.slice(objects.length)),
  );
}
