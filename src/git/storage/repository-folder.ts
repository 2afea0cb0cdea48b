import { randomUUID } from 'node:crypto';
import { lstat, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { RepositoryExistsError, RepositoryMissingError } from '../model/errors.js';
import { assertRepositoryPath, BRANCH_PREFIX, assertBranchName } from '../model/names.js';
import type { LockOwners } from '../process/lock-owners.js';
import {
  ensureFolder,
  errorCode,
  folderSize,
  isAbsent,
  missingIfAbsent,
  syncFolder,
  writeDurably,
} from './files.js';
import { type HousekeepingLock, holdHousekeepingLock } from './housekeeping-lock.js';

export const CONFIG = '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n';
/** Folders that git expects in a repository, also when they are empty. */
export const FOLDERS: readonly string[] = [
  'objects/info',
  'objects/pack',
  'refs/heads',
  'refs/tags',
];
/** Folders of objects that are not accepted yet. */
const QUARANTINE = /^(?:tmp_objdir-|incoming-)/;
const FULL: readonly string[] = ['ENOSPC', 'EDQUOT'];
const LEFTOVER = /\.(?:creating|removing)-[0-9a-f-]{36}$/;

/**
 * Overrides the attributes of commits: git does not expand placeholders in the files of an archive. A file of
 * 168 KB could expand to 128 MB. Nor does it run a filter, or a driver of differences or merges, that the `config` file of
 * the repository names.
 */
export const ATTRIBUTES = '* -export-subst !filter !diff !merge\n';

/** Creates an empty bare repository: completely, or not at all. */
export async function createRepositoryFolder(path: string, defaultBranch: string): Promise<void> {
  assertRepositoryPath(path);
  assertBranchName(defaultBranch);
  if (await exists(path)) throw new RepositoryExistsError(path);
  const draft = `${path}.creating-${randomUUID()}`;
  try {
    for (const folder of FOLDERS) await mkdir(join(draft, folder), { recursive: true });
    await writeDurably(join(draft, 'config'), CONFIG);
    await ensureAttributes(draft);
    await writeDurably(join(draft, 'HEAD'), `ref: ${BRANCH_PREFIX}${defaultBranch}\n`);
    await rename(draft, path);
    await syncFolder(dirname(path));
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    const code = errorCode(error);
    if (code === 'ENOTEMPTY' || code === 'EEXIST') throw new RepositoryExistsError(path);
    throw error;
  }
}

/**
 * Renames a repository, so that it cannot be opened any more, then deletes it.
 * @param onRenamed called in between
 * @throws GitBusyError while housekeeping works in the repository: its git would create the folder anew
 */
export async function removeRepositoryFolder(
  path: string,
  owners: LockOwners,
  onRenamed: () => Promise<void>,
): Promise<void> {
  assertRepositoryPath(path);
  const aside = `${path}.removing-${randomUUID()}`;
  try {
    const lock = await holdLockIfRoom(path, owners);
    try {
      await rename(path, aside);
    } finally {
      await lock?.release();
    }
  } catch (error) {
    // Of two that remove it, one comes too late.
    if (!(error instanceof RepositoryMissingError) && !isAbsent(error)) throw error;
  }
  await onRenamed();
  await rm(aside, { recursive: true, force: true, maxRetries: 5 });
}

/** Returns null on a full disk: removing makes room, and git that packs needs room as well. */
async function holdLockIfRoom(
  repository: string,
  owners: LockOwners,
): Promise<HousekeepingLock | null> {
  try {
    return await holdHousekeepingLock(repository, owners);
  } catch (error) {
    if (FULL.includes(errorCode(error) ?? '')) return null;
    throw error;
  }
}

/** Deletes repositories whose creation or removal was interrupted. Returns how many. */
export async function removeLeftoverFolders(parent: string, olderThanMs: number): Promise<number> {
  let removed = 0;
  for (const entry of await readdir(parent, { withFileTypes: true })) {
    if (!entry.isDirectory() || !LEFTOVER.test(basename(entry.name))) continue;
    const path = join(parent, entry.name);
    const { ctimeMs } = await lstat(path);
    if (Date.now() - ctimeMs < olderThanMs) continue;
    await rm(path, { recursive: true, force: true });
    removed += 1;
  }
  return removed;
}

/** Returns the size of the folder of a repository in bytes, without objects in quarantine. */
export function repositorySize(repository: string): Promise<number> {
  const objects = join(repository, 'objects', '/');
  return folderSize(
    repository,
    (path) => path.startsWith(objects) && QUARANTINE.test(path.slice(objects.length)),
  );
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
}

/**
 * Writes the attributes of the service into a repository that does not have them, because an older version
 * created it. Has to be called before git creates an archive.
 * @throws RepositoryMissingError
 */
export async function ensureAttributes(repository: string): Promise<void> {
  const folder = join(repository, 'info');
  const path = join(folder, 'attributes');
  if ((await textOf(path)) === ATTRIBUTES) return;
  await ensureFolderIn(repository, folder);
  await replaceFile(repository, path, ATTRIBUTES);
}

/** As `ensureFolder`, of a folder of a repository. @throws RepositoryMissingError */
export async function ensureFolderIn(repository: string, path: string): Promise<void> {
  try {
    await ensureFolder(path);
  } catch (error) {
    throw missingIfAbsent(repository, error);
  }
}

/**
 * Replaces a file of a repository in one step. Unlike git it creates no folder, which may be that of a removed repository.
 * @param path of the file
 * @throws RepositoryMissingError
 */
export async function replaceFile(repository: string, path: string, text: string): Promise<void> {
  // Housekeeping deletes files of this name that killed processes have left.
  const draft = join(repository, 'objects', `incoming-${randomUUID()}`);
  try {
    await writeDurably(draft, text);
    await rename(draft, path);
  } catch (error) {
    throw missingIfAbsent(repository, error);
  } finally {
    await rm(draft, { force: true });
  }
}

async function textOf(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}
