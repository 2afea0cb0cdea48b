import { IncompleteCopyError } from '../model/errors.js';
import { BRANCH_PREFIX, TAG_PREFIX } from '../model/names.js';
import type { Ref } from '../model/types.js';
import { gitCommands } from '../process/command-table.js';
import { writeFirstRefs } from '../refs/packed-refs.js';
import { RefFiles } from '../refs/ref-files.js';
import { RefLists } from '../refs/ref-lists.js';
import { RefStore } from '../refs/ref-store.js';
import type { RepositoryLocation } from '../storage/repository-location.js';
import { isConnected } from './connectivity.js';
import { linkObjects } from './object-links.js';

/** Packing may remove files while they are being linked; each time fewer are left. */
const MAX_ROUNDS = 5;
/** Checking every object of a large repository takes long. */
const CHECK_LIMIT_MS = 60 * 60_000;

/** Returns whether a repository has branches or tags. */
export async function isFilled(location: RepositoryLocation): Promise<boolean> {
  return (await branchesAndTags(location)).length > 0;
}

/** Copies branches, tags and HEAD of another repository into an empty one, in one step. */
export async function copyRepository(
  from: RepositoryLocation,
  to: RepositoryLocation,
  signal: AbortSignal | undefined,
): Promise<void> {
  await to.identity();
  if (await isFilled(to)) return;
  const source = await from.identity();
  const refs = await branchesAndTags(from);
  const head = await new RefStore(from).head();
  // A list that was read while the repository was being removed may be incomplete.
  if ((await from.identity()) !== source) return copyRepository(from, to, signal);
  if (head !== null) await new RefStore(to).setHead(head);
  if (refs.length === 0) return;
  await linkConnected(from, to, refs, signal);
  await writeFirstRefs(to, refs);
}

/** Links objects until the refs have all of theirs. */
async function linkConnected(
  from: RepositoryLocation,
  to: RepositoryLocation,
  refs: readonly Ref[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const targets = [...new Set(refs.map(({ target }) => target))];
  const command = gitCommands.checkConnected(to.path);
  for (let round = 1; round <= MAX_ROUNDS; round += 1) {
    await linkObjects(from, to, signal);
    const options = { timeoutMs: CHECK_LIMIT_MS, signal };
    if (await isConnected(to, command, targets, options, 'maintenance')) return;
  }
  throw new IncompleteCopyError(to.path);
}

async function branchesAndTags(location: RepositoryLocation): Promise<Ref[]> {
  const lists = new RefLists(location, new RefFiles(location));
  const [branches, tags] = [await lists.below(BRANCH_PREFIX), await lists.below(TAG_PREFIX)];
  return [...branches.refs, ...tags.refs];
}
