import { randomUUID } from 'node:crypto';
import { lstat, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ensureAttributes } from './attributes.js';
import { assertRepositoryPath } from './command-table.js';
import { syncFolder, writeDurably } from './durable-files.js';
import { InvalidArgumentError, RepositoryExistsError } from './errors.js';
import { BRANCH_PREFIX, isValidBranchName } from './names.js';
import { errorCode, isAbsent } from './runtime.js';

const CONFIG = '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n';
const FOLDERS = ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags'];
const LEFTOVER = /\.(?:creating|removing)-[0-9a-f-]{36}$/;

/** Lays down an empty bare repository: complete under its name, or not at all. */
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
 * Takes a repository away under its name at once, then deletes it.
 * @param whenAside called in between, when nobody can open it any more
 */
export async function removeRepositoryFolder(
  path: string,
  whenAside: () => Promise<void>,
): Promise<void> {
  assertRepositoryPath(path);
  const aside = `${path}.removing-${randomUUID()}`;
  try {
    await rename(path, aside);
  } catch (error) {
    if (!isAbsent(error)) throw error;
    await whenAside();
    return;
  }
  await whenAside();
  await rm(aside, { recursive: true, force: true, maxRetries: 5 });
}

/** Deletes what was being made or removed when a process died; returns how many there were. */
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
