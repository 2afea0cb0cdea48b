import { gitCommands } from './command-table.js';
import { withSettings } from './environment.js';
import { GitProcessError, ObjectMissingError } from './errors.js';
import { withIncoming, type Incoming } from './incoming.js';
import { readLoose, writeLoose } from './loose-objects.js';
import { isOid } from './names.js';
import { NewObjects } from './new-objects.js';
import { parseRawTree } from './raw-tree.js';
import type { RepositoryLocation } from './runtime.js';
import type { Oid, Signature } from './types.js';

/** A merge looks for renames, which takes its time in large trees. */
const LIMIT_MS = 60_000;
const NOBODY: Signature = { name: 'merge', email: 'merge', date: new Date(0), timezone: '+0000' };

export interface TreesToMerge {
  /** What both sides have changed; null is the empty tree. */
  base: Oid | null;
  ours: Oid;
  theirs: Oid;
}

export interface MergedTree {
  tree: Oid;
  /** What the repository does not have yet of it. */
  objects: NewObjects;
}

/**
 * Merges two trees by what they changed in a third, renames included; null when they conflict.
 * Nothing is written to the repository: git works in a folder of its own on top of it.
 */
export function mergeTrees(
  location: RepositoryLocation,
  trees: TreesToMerge,
): Promise<MergedTree | null> {
  return withIncoming(location, async (incoming) => {
    // `merge-tree` takes commits, so each tree is dressed as one.
    const dressed = new NewObjects();
    const dress = (tree: Oid, parents: Oid[]): Oid =>
      dressed.commit({ tree, parents, author: NOBODY, committer: NOBODY, message: '' });
    const base = dress(trees.base ?? dressed.tree([]), []);
    const ours = dress(trees.ours, [base]);
    const theirs = dress(trees.theirs, [base]);
    await writeLoose(incoming.folder, dressed);
    return merged(incoming, await mergeIn(incoming, location, ours, theirs));
  });
}

/**
 * Merges two commits by their very histories: of several common ancestors git makes one first, as
 * `git merge` does. Null when they conflict or have nothing in common. Writes nothing.
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
 * Whether `mergeCommits` would find no conflict; remembered.
 * @throws ObjectMissingError
 */
export async function canMerge(
  location: RepositoryLocation,
  ours: Oid,
  theirs: Oid,
): Promise<boolean> {
  const { facts } = location.runtime.caches;
  const key = `mergeable\0${ours}\0${theirs}\0${await location.identity()}`;
  const known = facts.get(key);
  if (known !== undefined) return known === true;
  const tree = await withIncoming(location, (incoming) =>
    mergeIn(incoming, location, ours, theirs),
  );
  facts.set(key, tree !== null, 100);
  return tree !== null;
}

/** The tree that two commits merge to, null when they cannot be merged. */
async function mergeIn(
  { environment }: Incoming,
  location: RepositoryLocation,
  ours: Oid,
  theirs: Oid,
): Promise<Oid | null> {
  let complaint = '';
  const options = {
    timeoutMs: LIMIT_MS,
    exitCodes: [0, 1, 128],
    environment: {
      // What pushes are taken with, diff.renames=false, holds for merges too unless told.
      ...withSettings([['merge.renames', 'true']]),
      ...environment,
    },
    onStderr: (chunk: Buffer) => {
      complaint += chunk.toString();
    },
  };
  const command = gitCommands.mergeTree(location.path, ours, theirs);
  const { exitCode, stdout } = await location.run(command, options);
  const tree = stdout.toString('latin1', 0, 40);
  // Of a merge with conflicts git names a tree as well, with the conflicts in it.
  if (isOid(tree)) return exitCode === 0 ? tree : null;
  if (complaint.includes('refusing to merge unrelated histories')) return null;
  const failure = new GitProcessError('merge-tree', exitCode, complaint);
  // Nobody resolves conflicts of that size here.
  if (failure.isExhausted) return null;
  const missing = /([0-9a-f]{40}) - not something we can merge/.exec(complaint)?.[1];
  if (missing !== undefined) throw new ObjectMissingError(missing);
  throw failure;
}

async function merged({ folder }: Incoming, tree: Oid | null): Promise<MergedTree | null> {
  return tree === null ? null : { tree, objects: partsOf(tree, await readLoose(folder)) };
}

/** Leaves out what git made on its way only, such as the ancestor of a criss-cross history. */
function partsOf(tree: Oid, made: NewObjects): NewObjects {
  const parts = new NewObjects();
  const open = [tree];
  for (let oid = open.pop(); oid !== undefined; oid = open.pop()) {
    const object = parts.get(oid) === undefined ? made.get(oid) : undefined;
    if (object === undefined) continue;
    parts.add(object.type, object.content);
    if (object.type === 'tree')
      open.push(...parseRawTree(object.content).map((entry) => entry.oid));
  }
  return parts;
}
