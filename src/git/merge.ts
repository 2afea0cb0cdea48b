import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { deflate, inflate } from 'node:zlib';
import { gitCommands } from './command-table.js';
import { withSettings } from './environment.js';
import { GitProtocolError } from './errors.js';
import { withIncoming, type Incoming } from './incoming.js';
import { isOid } from './names.js';
import { NewObjects } from './new-objects.js';
import type { Place } from './room.js';
import type { ObjectType, Oid, Signature } from './types.js';

/** A merge looks for renames, which takes its time in large trees. */
const LIMIT_MS = 60_000;
const NOBODY: Signature = { name: 'merge', email: 'merge', date: new Date(0), timezone: '+0000' };
const packed = promisify<Buffer, Buffer>(deflate);
const unpacked = promisify<Buffer, Buffer>(inflate);

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
export function mergeTrees(place: Place, trees: TreesToMerge): Promise<MergedTree | null> {
  return withIncoming(place, (incoming) => mergeIn(incoming, place, trees));
}

/** `merge-tree` takes commits, so each tree is dressed as one. */
async function mergeIn(
  { folder, environment }: Incoming,
  { path, room }: Place,
  trees: TreesToMerge,
): Promise<MergedTree | null> {
  const dressed = new NewObjects();
  const dress = (tree: Oid, parents: Oid[]): Oid =>
    dressed.commit({ tree, parents, author: NOBODY, committer: NOBODY, message: '' });
  const base = dress(trees.base ?? dressed.tree([]), []);
  const ours = dress(trees.ours, [base]);
  const theirs = dress(trees.theirs, [base]);
  await writeLoose(folder, dressed);
  const { exitCode, stdout } = await room.launcher.run(gitCommands.mergeTree(path, ours, theirs), {
    timeoutMs: LIMIT_MS,
    exitCodes: [0, 1],
    environment: {
      // What pushes are taken with, diff.renames=false, holds for merges too unless told.
      ...withSettings([['merge.renames', 'true']]),
      ...environment,
    },
  });
  if (exitCode === 1) return null;
  const tree = stdout.toString('latin1', 0, 40);
  if (!isOid(tree)) throw new GitProtocolError('git merge-tree named no tree');
  return { tree, objects: await readLoose(folder, new Set([base, ours, theirs])) };
}

async function writeLoose(folder: string, objects: NewObjects): Promise<void> {
  for (const { oid, type, content } of objects.named()) {
    const head = Buffer.from(`${type} ${content.length}\0`);
    await mkdir(join(folder, oid.slice(0, 2)), { recursive: true });
    const file = join(folder, oid.slice(0, 2), oid.slice(2));
    await writeFile(file, await packed(Buffer.concat([head, content])));
  }
}

async function readLoose(folder: string, except: ReadonlySet<string>): Promise<NewObjects> {
  const objects = new NewObjects();
  for (const start of await readdir(folder)) {
    if (!/^[0-9a-f]{2}$/.test(start)) continue;
    for (const rest of await readdir(join(folder, start))) {
      if (!isOid(start + rest) || except.has(start + rest)) continue;
      const bytes = await unpacked(await readFile(join(folder, start, rest)));
      const end = bytes.indexOf(0);
      const type = bytes.toString('latin1', 0, bytes.indexOf(0x20)) as ObjectType;
      objects.add(type, bytes.subarray(end + 1));
    }
  }
  return objects;
}
