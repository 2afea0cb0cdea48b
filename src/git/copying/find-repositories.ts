import type { Dirent } from 'node:fs';
import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { fallbackIfAbsent, namesIn } from '../storage/files.js';

/** The deepest folders that are searched. */
const MAX_DEPTH = 10;

const MAX_ALTERNATES = 5;

const WORK_TREE = 'is a work tree of another repository';
const OUTSIDE_LINK = 'has a symbolic link out of the directory';
const OUTSIDE_OBJECTS = 'takes objects from outside the directory';

/** A repository below a folder, or what looks like one and cannot be taken. */
export interface FoundRepository {
  /** Relative to the folder that was searched; of a clone, the folder that holds `.git`. */
  readonly path: string;
  /** What Git calls the repository: absolute. */
  readonly folder: string;
  /** Why it is not to be read; null if it is. */
  readonly refusal: string | null;
}

/**
 * Finds the bare repositories and the clones below a folder, by path. Follows no symbolic links. Refuses links and
 * repositories that would read files outside the folder, by a link or by the objects of another repository.
 * @param root without symbolic links, as `realpath` returns it
 */
export async function findRepositories(root: string): Promise<FoundRepository[]> {
  const found: FoundRepository[] = [];
  await search(root, root, found);
  return found;
}

async function search(root: string, folder: string, found: FoundRepository[]): Promise<void> {
  const path = relative(root, folder);
  const add = (entry: Omit<FoundRepository, 'path'>): number => found.push({ path, ...entry });
  const entries = await entriesOf(folder);
  const git = entries.find(({ name }) => name === '.git');
  if (git?.isFile() === true) {
    add({ folder, refusal: WORK_TREE });
    return;
  }
  const repository = git?.isDirectory() === true ? join(folder, '.git') : folder;
  if (await isRepository(repository)) {
    add({ folder: repository, refusal: await refusalOf(root, repository) });
    return;
  }
  if (path.split(sep).length > MAX_DEPTH) return;
  for (const entry of entries.sort(byName)) {
    const below = join(folder, entry.name);
    if (entry.isDirectory()) await search(root, below, found);
    else if (entry.isSymbolicLink() && (await isFolder(below))) {
      const refusal = 'is a symbolic link';
      found.push({ path: relative(root, below), folder: below, refusal });
    }
  }
}

const byName = (one: Dirent, other: Dirent): number => (one.name < other.name ? -1 : 1);

/** Whether a folder has what Git itself looks for. */
async function isRepository(folder: string): Promise<boolean> {
  const names = await namesIn(folder);
  return ['HEAD', 'objects', 'refs'].every((name) => names.includes(name));
}

async function refusalOf(root: string, repository: string): Promise<string | null> {
  const names = await readdir(repository);
  if (names.includes('commondir')) return WORK_TREE;
  if (await hasOutsideLink(root, repository)) return OUTSIDE_LINK;
  return borrowingRefusal(root, join(repository, 'objects'), 1);
}

/** Returns why the repositories whose objects a repository uses are refused; null if they are not. */
async function borrowingRefusal(
  root: string,
  objects: string,
  depth: number,
): Promise<string | null> {
  const list = await fallbackIfAbsent(readFile(join(objects, 'info', 'alternates'), 'utf8'), '');
  for (const line of list.split('\n').filter((text) => text !== '' && !text.startsWith('#'))) {
    const alternate = resolve(objects, line);
    // Git takes a line in quotes for an escaped path, and follows alternates no deeper than this.
    const isTaken = !line.startsWith('"') && depth <= MAX_ALTERNATES;
    if (!isTaken || !(await isInside(root, alternate))) return OUTSIDE_OBJECTS;
    if (await hasOutsideLink(root, alternate)) return OUTSIDE_LINK;
    const refusal = await borrowingRefusal(root, alternate, depth + 1);
    if (refusal !== null) return refusal;
  }
  return null;
}

async function hasOutsideLink(root: string, folder: string): Promise<boolean> {
  for (const link of await linksBelow(folder)) {
    if (!(await isInside(root, link))) return true;
  }
  return false;
}

const entriesOf = (folder: string): Promise<Dirent[]> =>
  fallbackIfAbsent<Dirent[], Dirent[]>(readdir(folder, { withFileTypes: true }), []);

async function linksBelow(folder: string): Promise<string[]> {
  const entries = await entriesOf(folder);
  const links: string[] = [];
  for (const entry of entries) {
    const below = join(folder, entry.name);
    if (entry.isSymbolicLink()) links.push(below);
    else if (entry.isDirectory()) links.push(...(await linksBelow(below)));
  }
  return links;
}

async function isInside(root: string, path: string): Promise<boolean> {
  const real = await fallbackIfAbsent(realpath(path), null);
  return real !== null && real.startsWith(root + sep);
}

const isFolder = async (path: string): Promise<boolean> =>
  (await fallbackIfAbsent(stat(path), null))?.isDirectory() === true;
