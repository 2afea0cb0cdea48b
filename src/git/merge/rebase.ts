import { MIB } from '../model/bytes.js';
import { parseCommit, parseOrigin } from '../model/commit-parser.js';
import { GitTimeoutError, ObjectMissingError, ObjectTooLargeError } from '../model/errors.js';
import type { Commit, Oid, Signature } from '../model/types.js';
import { type Incoming, withIncoming, writeLoose } from '../objects/incoming.js';
import { NewObjects } from '../objects/new-objects.js';
import type { ObjectReader } from '../objects/object-reader.js';
import { gitCommands } from '../process/command-table.js';
import { isExhausted } from '../process/prefer-renames.js';
import type { RepositoryLocation } from '../storage/repository-location.js';
import { type MergedTree, mergeTrees } from './merge.js';

/** The most commits that a rebase applies. Each takes some 10 ms, on a busy machine 50. */
const MAX_COMMITS = 1_000;
/** The most bytes of the new objects of a rebase, which are held in memory. */
const MAX_BYTES = 64 * MIB;
const LIMIT_MS = 3 * 60_000;
/** The most commits of the other side whose changes are compared with those of the branch. */
const MAX_COMPARED = 5_000;
/** The largest commit that is read whole. */
const MAX_COMMIT_BYTES = 1 * MIB;

export interface Rebase {
  /** The commit that the branch is to be based on. */
  readonly onto: Oid;
  /** The head of the branch. */
  readonly head: Oid;
  /** Committer of the new commits; their authors stay. */
  readonly committer: Signature;
  readonly signal: AbortSignal;
}

export interface Rebased {
  /** The new head of the branch; the present one if the branch is based on the commit already. */
  readonly head: Oid;
  readonly objects: NewObjects;
}

/** Why a branch is not rebased; `too-large` is more than git does in the time, or more than is held in memory. */
export type ReplayProblem = 'conflict' | 'too-large' | 'too-many-commits';

/** The end of the new branch. */
interface Tip {
  readonly oid: Oid;
  readonly tree: Oid;
}

/**
 * Applies the commits of a branch to another head in a temporary object folder, like `git rebase`: without merges, commits
 * that the other side has, and those that change nothing any more. Commits that stand where they belong stay as they are.
 * @throws ObjectMissingError
 */
export async function rebaseCommits(
  location: RepositoryLocation,
  reader: ObjectReader,
  rebase: Rebase,
): Promise<Rebased | ReplayProblem> {
  const signal = AbortSignal.any([rebase.signal, AbortSignal.timeout(LIMIT_MS)]);
  try {
    if (await isBased(location, rebase)) return { head: rebase.head, objects: new NewObjects() };
    const commits = await listCommits(location, rebase);
    if (commits.length > MAX_COMMITS) return 'too-many-commits';
    return await withIncoming(location, (incoming) =>
      applyAll({ location, reader, incoming, rebase, signal }, commits),
    );
  } catch (error) {
    rebase.signal.throwIfAborted();
    const isTooLarge =
      error instanceof GitTimeoutError ||
      error instanceof ObjectTooLargeError ||
      isExhausted(error) ||
      signal.aborted;
    if (isTooLarge) return 'too-large';
    throw error;
  }
}

/** Whether a branch contains the commit that it is to be based on, and no merge behind it. */
async function isBased(location: RepositoryLocation, { onto, head }: Rebase): Promise<boolean> {
  const timeoutMs = location.runtime.limits.comparisonTimeoutMs;
  const contains = gitCommands.isAncestor(location.path, onto, head);
  const { exitCode } = await location.run(contains, { timeoutMs, exitCodes: [0, 1] });
  if (exitCode !== 0) return false;
  const merge = gitCommands.newestMerge(location.path, onto, head);
  return (await location.run(merge, { timeoutMs })).stdout.length === 0;
}

/** Lists the commits to apply, the oldest first, and no more than one above the limit. */
async function listCommits(
  location: RepositoryLocation,
  { onto, head }: Rebase,
): Promise<readonly Oid[]> {
  const timeoutMs = location.runtime.limits.comparisonTimeoutMs;
  const range = { start: onto, exclude: [head] };
  const counting = gitCommands.revCount(location.path, range, MAX_COMPARED + 1);
  const others = Number((await location.run(counting, { timeoutMs })).stdout.toString('latin1'));
  const ends = { onto, head, skipsApplied: others <= MAX_COMPARED };
  const command = gitCommands.rebasedCommits(location.path, ends, MAX_COMMITS + 1);
  const { stdout } = await location.run(command, { timeoutMs });
  return stdout.toString('latin1').split('\n').filter(Boolean);
}

/** What the steps of a rebase share. */
interface Work {
  readonly location: RepositoryLocation;
  readonly reader: ObjectReader;
  readonly incoming: Incoming;
  readonly rebase: Rebase;
  readonly signal: AbortSignal;
}

async function applyAll(
  work: Work,
  commits: readonly Oid[],
): Promise<Rebased | Exclude<ReplayProblem, 'too-many-commits'>> {
  const { reader, incoming, rebase, signal } = work;
  const { onto, head, committer } = rebase;
  const objects = new NewObjects();
  let tip: Tip = { oid: onto, tree: (await readCommit(reader, onto)).commit.tree };
  for (const oid of commits) {
    signal.throwIfAborted();
    const { commit, content } = await readCommit(reader, oid);
    const [parent] = commit.parents;
    if (parent === tip.oid) {
      tip = commit;
      continue;
    }
    const base = parent === undefined ? null : (await readCommit(reader, parent)).commit.tree;
    const merged = await applyTo(work, tip.tree, { base, tree: commit.tree });
    if (merged === null) return 'conflict';
    const { tree } = merged;
    // Its changes are there already. A commit without changes is kept.
    if (tree === tip.tree && commit.tree !== base) continue;
    await writeLoose(incoming.folder, merged.objects);
    objects.addAll(merged.objects);
    const origin = parseOrigin(content);
    tip = { oid: objects.rebasedCommit({ tree, parent: tip.oid, origin, committer }), tree };
    if (objects.bytes > MAX_BYTES) return 'too-large';
  }
  return { head: tip.oid, objects: tip.oid === head ? new NewObjects() : objects };
}

/** Makes the tree of the tip with the changes of a commit; null when they conflict. */
async function applyTo(
  { location, incoming }: Work,
  ours: Oid,
  { base, tree: theirs }: { base: Oid | null; tree: Oid },
): Promise<MergedTree | null> {
  if (ours === base) return { tree: theirs, objects: new NewObjects() };
  if (theirs === base) return { tree: ours, objects: new NewObjects() };
  return mergeTrees(location, { base, ours, theirs }, incoming);
}

async function readCommit(
  reader: ObjectReader,
  oid: Oid,
): Promise<{ commit: Commit; content: Buffer }> {
  const object = await reader.read(oid, { maxBytes: MAX_COMMIT_BYTES });
  if (object?.type !== 'commit') throw new ObjectMissingError(oid);
  return { commit: parseCommit(oid, object.content), content: object.content };
}
