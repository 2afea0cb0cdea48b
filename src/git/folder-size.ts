import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { tolerant } from './object-folder.js';

/** Files that are looked at together. */
const AT_ONCE = 32;
/** Objects of pushes and writes that are not accepted yet. */
const QUARANTINE = /^(?:tmp_objdir-|incoming-)/;

/**
 * Adds up the lengths of all files in a folder and below it, in bytes. What is deleted meanwhile counts
 * as nothing, and so does a folder that does not exist.
 * @param isSkipped whether a folder is left out, by its path
 */
export async function folderSize(
  folder: string,
  isSkipped: (path: string) => boolean = () => false,
): Promise<number> {
  const entries = await tolerant(readdir(folder, { withFileTypes: true }), []);
  let bytes = 0;
  const files: string[] = [];
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (!entry.isDirectory()) files.push(path);
    else if (!isSkipped(path)) bytes += await folderSize(path, isSkipped);
  }
  for (let at = 0; at < files.length; at += AT_ONCE) {
    const found = files.slice(at, at + AT_ONCE).map((path) => tolerant(lstat(path), null));
    for (const file of await Promise.all(found)) bytes += file?.size ?? 0;
  }
  return bytes;
}

/** The size of a repository's folder in bytes, without objects that are still in quarantine. */
export function repositorySize(repository: string): Promise<number> {
  const objects = join(repository, 'objects', '/');
  return folderSize(
    repository,
    (path) => path.startsWith(objects) && QUARANTINE.test(path.slice(objects.length)),
  );
}
