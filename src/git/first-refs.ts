import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder, writeDurably } from './durable-files.js';
import { RefConflictError, RepositoryMissingError } from './errors.js';
import { parsePackedRefs } from './packed-refs.js';
import { errorCode, isAbsent, type RepositoryLocation } from './runtime.js';
import type { Ref } from './types.js';

/**
 * Gives a repository its first refs in one step, however many there are: as the file `packed-refs`,
 * like `git clone` does. Only for one that has none, and while nobody else writes to it. Refs that
 * are there already are left as they are.
 * @throws RefConflictError when two of them cannot exist beside each other
 */
export async function writeFirstRefs(
  location: RepositoryLocation,
  refs: readonly Ref[],
): Promise<void> {
  const text = packedRefs(refs);
  // Housekeeping removes what a killed process leaves under such a name.
  const draft = join(location.path, 'objects', `incoming-${randomUUID()}`);
  const target = join(location.path, 'packed-refs');
  try {
    await writeDurably(draft, text);
    await putInPlace(draft, target);
    await syncFolder(location.path);
  } catch (error) {
    throw isAbsent(error) ? new RepositoryMissingError(location.path) : error;
  } finally {
    await rm(draft, { force: true });
  }
}

/** The file says nothing of peeled tags, so git looks at the tags themselves. */
function packedRefs(refs: readonly Ref[]): string {
  const sorted = refs
    .map((ref) => ({ ...ref, bytes: Buffer.from(ref.name) }))
    .sort((a, b) => Buffer.compare(a.bytes, b.bytes));
  const names = new Set(refs.map(({ name }) => name));
  for (const { name } of sorted) {
    const parent = parentsOf(name).find((above) => names.has(above));
    if (parent !== undefined) throw new RefConflictError(name, parent);
  }
  const lines = sorted.map(({ name, target }) => `${target} ${name}\n`);
  return ['# pack-refs with: sorted \n', ...lines].join('');
}

function parentsOf(name: string): string[] {
  const parts = name.split('/');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
}

/** A link is made only where nothing is: of two at the same time one wins. */
async function putInPlace(draft: string, target: string): Promise<void> {
  try {
    await link(draft, target);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') {
      const { targets } = parsePackedRefs(await readFile(target, 'utf8'));
      if (targets.size > 0) return;
    } else if (isAbsent(error)) {
      throw error;
    }
    // Packing the refs of an empty repository leaves an empty file; some file systems have no links.
    await rename(draft, target);
  }
}
