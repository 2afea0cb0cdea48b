import { randomUUID } from 'node:crypto';
import { lstat, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { InvalidArgumentError, RepositoryExistsError } from '../model/errors.js';
import { assertRepositoryPath, BRANCH_PREFIX, isValidBranchName } from '../model/names.js';
import { ensureAttributes } from './attributes.js';
import { errorCode, isAbsent, syncFolder, writeDurably } from './files.js';

const CONFIG = '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n';
const FOLDERS = ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags'];
const LEFTOVER = /\.(?:creating|removing)-[0-9a-f-]{36}$/;

/** Creates an empty bare repository: completely, or not at all. */
export async function createRepositoryFolder(path: string, defaultBranch: string): Promise<void> {
  assertRepositoryPath(path);
  if (!isValidBranchName(defaultBranch)) throw new InvalidArgumentError('Not a branch name');
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
 */
export async function removeRepositoryFolder(
  path: string,
  onRenamed: () => Promise<void>,
): Promise<void> {
  assertRepositoryPath(path);
  const aside = `${path}.removing-${randomUUID()}`;
  try {
    await rename(path, aside);
  } catch (error) {
    if (!isAbsent(error)) throw error;
    await onRenamed();
    return;
  }
  await onRenamed();
  await rm(aside, { recursive: true, force: true, maxRetries: 5 });
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

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
}
