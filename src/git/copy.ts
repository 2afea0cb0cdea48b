import { BRANCH_PREFIX, TAG_PREFIX } from './names.js';
import { gitCommands } from './command-table.js';
import { isConnected } from './connectivity.js';
import { IncompleteCopyError } from './errors.js';
import { writeFirstRefs } from './first-refs.js';
import { linkObjects } from './object-links.js';
import { RefFiles } from './ref-files.js';
import { RefLists } from './ref-lists.js';
import { RefStore } from './ref-store.js';
import type { RepositoryLocation } from './runtime.js';
import type { Ref } from './types.js';

/** Packing may take files away while they are linked; each time it has less to do. */
const MAX_ROUNDS = 5;
/** Looking at every object of a large repository takes its time. */
const CHECK_LIMIT_MS = 60 * 60_000;

/** Whether a repository has branches or tags already. */
export async function isFilled(location: RepositoryLocation): Promise<boolean> {
  return (await branchesAndTags(location)).length > 0;
}

/** Gives an empty repository the branches, tags and HEAD of another one, all at once. */
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
  // Read beside somebody who was removing it, the list would be shorter than it was.
  if ((await from.identity()) !== source) return copyRepository(from, to, signal);
  if (head !== null) await new RefStore(to).setHead(head);
  if (refs.length === 0) return;
  await linkConnected(from, to, refs, signal);
  await writeFirstRefs(to, refs);
}

/** Links objects until everything is there that the refs need. */
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
