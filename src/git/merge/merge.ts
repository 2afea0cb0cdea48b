import { MIB } from '../model/bytes.js';
import { GitProcessError, ObjectMissingError } from '../model/errors.js';
import { isOid } from '../model/names.js';
import { parseRawTree } from '../model/tree-parser.js';
import type { Oid, Signature } from '../model/types.js';
import { type Incoming, readLoose, withIncoming, writeLoose } from '../objects/incoming.js';
import { NewObjects } from '../objects/new-objects.js';
import { gitCommands, RENAME_LIMIT } from '../process/command-table.js';
import { type GitSetting, withSettings } from '../process/environment.js';
import { preferRenames } from '../process/prefer-renames.js';
import { SharedState } from '../process/runtime.js';
import { ByteCache } from '../storage/byte-cache.js';
import type { RepositoryLocation } from '../storage/repository-location.js';

/** Whether two commits can be merged. */
const MERGEABLE = new SharedState(() => new ByteCache<boolean>('mergeability', 1 * MIB));

/**
 * How renames are detected in a merge, and how they are not. Older versions of git have no way to switch it off, but no files
 * are compared by their contents when there are more of them than the limit.
 */
const renameSettings = (renames: boolean): GitSetting[] => [
  // The general setting diff.renames=false would apply to merges as well.
  ['merge.renames', 'true'],
  ['merge.renameLimit', String(renames ? RENAME_LIMIT : 1)],
];

const PLACEHOLDER: Signature = {
  name: 'merge',
  email: 'merge',
  date: new Date(0),
  timezone: '+0000',
};

export interface TreesToMerge {
  /** The common ancestor of both sides; null is the empty tree. */
  base: Oid | null;
  ours: Oid;
  /** Null is the empty tree. */
  theirs: Oid | null;
}

export interface MergedTree {
  tree: Oid;
  /** The objects of the tree that the repository does not have. */
  objects: NewObjects;
}

/**
 * Merges two trees with a common base, with detection of renames. Returns null when they conflict. Writes nothing
 * to the repository: git works in a temporary object folder.
 * @param before a folder with some of the trees
 */
export function mergeTrees(
  location: RepositoryLocation,
  trees: TreesToMerge,
  before?: Incoming,
): Promise<MergedTree | null> {
  const mergeBoth = async (incoming: Incoming): Promise<MergedTree | null> => {
    // `merge-tree` takes commits, so each tree gets a temporary one.
    const temporary = new NewObjects();
    const commitOf = (tree: Oid, parents: Oid[]): Oid =>
      temporary.commit({ tree, parents, author: PLACEHOLDER, committer: PLACEHOLDER, message: '' });
    const treeOf = async (tree: Oid | null): Promise<Oid> => tree ?? (await temporary.tree([]));
    const base = commitOf(await treeOf(trees.base), []);
    const ours = commitOf(trees.ours, [base]);
    const theirs = commitOf(await treeOf(trees.theirs), [base]);
    await writeLoose(incoming.folder, temporary);
    return merged(incoming, await mergeIn(incoming, location, ours, theirs));
  };
  return withIncoming(location, mergeBoth, before);
}

/**
 * Merges two commits like `git merge`, which merges several common ancestors first. Returns null when they
 * conflict or have no common ancestor. Writes nothing to the repository.
 * @throws ObjectMissingError
 */
export function mergeCommits(
  location: RepositoryLocation,
  ours: Oid,
  theirs: Oid,
): Promise<MergedTree | null> {
  return withIncoming(location, async (incoming) =>
    merged(incoming, await mergeIn(incoming, location, ours, theirs)),
  );
}

/**
 * Returns whether two commits can be merged without conflict. Cached.
 * @throws ObjectMissingError
 */
export async function canMerge(
  location: RepositoryLocation,
  ours: Oid,
  theirs: Oid,
): Promise<boolean> {
  const cache = location.runtime.shared(MERGEABLE);
  const key = `${ours}\0${theirs}\0${await location.identity()}`;
  const known = cache.get(key);
  if (known !== undefined) return known;
  const tree = await withIncoming(location, (incoming) =>
    mergeIn(incoming, location, ours, theirs),
  );
  cache.set(key, tree !== null, 100);
  return tree !== null;
}

/**
 * Returns the tree of a merge of two commits, null when they cannot be merged. Renames are detected if that takes not too long.
 * @throws GitTimeoutError
 */
async function mergeIn(
  incoming: Incoming,
  location: RepositoryLocation,
  ours: Oid,
  theirs: Oid,
): Promise<Oid | null> {
  const key = `merge\0${ours}\0${theirs}\0${await location.identity()}`;
  return preferRenames(location.runtime, key, (renames) =>
    runMerge(incoming, location, [ours, theirs], renames),
  );
}

async function runMerge(
  { environment }: Incoming,
  location: RepositoryLocation,
  [ours, theirs]: readonly [ours: Oid, theirs: Oid],
  renames: boolean,
): Promise<Oid | null> {
  let stderr = '';
  const options = {
    timeoutMs: location.runtime.limits.comparisonTimeoutMs,
    exitCodes: [0, 1, 128],
    environment: { ...withSettings(renameSettings(renames)), ...environment },
    onStderr: (chunk: Buffer) => {
      stderr += chunk.toString();
    },
  };
  const command = gitCommands.mergeTree(location.path, ours, theirs);
  const result = await location.run(command, options).catch((error: unknown) => {
    if (!(error instanceof GitProcessError)) throw error;
    // An assertion of git's that some histories violate. Another attempt would fail in the same way.
    if (error.signal === 'SIGABRT' || error.isExhausted) return null;
    throw error;
  });
  if (result === null) return null;
  const { exitCode, stdout } = result;
  const tree = stdout.toString('latin1', 0, 40);
  // git prints a tree for a merge with conflicts as well, which contains conflict markers.
  if (isOid(tree)) return exitCode === 0 ? tree : null;
  if (stderr.includes('refusing to merge unrelated histories')) return null;
  const failure = new GitProcessError('merge-tree', exitCode, stderr);
  // Too large to be merged here.
  if (failure.isExhausted) return null;
  const missing = /([0-9a-f]{40}) - not something we can merge/.exec(stderr)?.[1];
  if (missing !== undefined) throw new ObjectMissingError(missing);
  throw failure;
}

async function merged({ folder }: Incoming, tree: Oid | null): Promise<MergedTree | null> {
  return tree === null ? null : { tree, objects: await objectsOf(tree, await readLoose(folder)) };
}

/** Returns the new objects of a tree, without temporary ones such as a merged common ancestor. */
async function objectsOf(tree: Oid, made: NewObjects): Promise<NewObjects> {
  const needed = new NewObjects();
  const open = [tree];
  for (let oid = open.pop(); oid !== undefined; oid = open.pop()) {
    const object = needed.get(oid) === undefined ? made.get(oid) : undefined;
    if (object === undefined) continue;
    needed.add(object.type, object.content);
    if (object.type !== 'tree') continue;
    for (const entry of await parseRawTree(object.content)) open.push(entry.oid);
  }
  return needed;
}
