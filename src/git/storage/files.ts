import { lstat, mkdir, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { RepositoryMissingError } from '../model/errors.js';

/** Files whose metadata is read at once. */
const AT_ONCE = 32;

/** Writes a new file and flushes it to disk. It survives a power cut once its folder is synced, too. */
export async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o644);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Creates a folder unless there is one. It does not create the one above, which may be that of a removed repository. */
export async function ensureFolder(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}

/** Flushes the entries of a folder to disk. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Returns whether an error of the file system means that there is no such file. */
export function isAbsent(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/**
 * Returns what to throw when a file of a repository cannot be written: a `RepositoryMissingError` where its folder is absent, since
 * the repository has been removed, otherwise the error itself.
 */
export function missingIfAbsent(repository: string, error: unknown): unknown {
  return isAbsent(error) ? new RepositoryMissingError(repository) : error;
}

export function errorCode(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null && 'code' in error
    ? String(error.code)
    : undefined;
}

/** ESTALE, for which Node has no name. */
const STALE = -116;

/**
 * Returns the names in a folder, none when there is no such folder. File systems that machines share call one stale that
 * another machine deletes while it is read.
 */
export async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isAbsent(error) || (error as NodeJS.ErrnoException).errno === STALE) return [];
    throw error;
  }
}

/** Waits for a read of the file system. Returns a fallback when the file was deleted meanwhile. */
export async function fallbackIfAbsent<T, U>(reading: Promise<T>, fallback: U): Promise<T | U> {
  try {
    return await reading;
  } catch (error) {
    if (isAbsent(error)) return fallback;
    throw error;
  }
}

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
