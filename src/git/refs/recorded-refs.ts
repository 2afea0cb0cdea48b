import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fallbackIfAbsent } from '../storage/files.js';
import type { RepositoryLocation } from '../storage/repository-location.js';
import type { KnownRefs, RecordedRefs } from '../storage/repository-view.js';
import type { PackedRefs } from './packed-refs.js';
import { readLooseRef, readPackedRefs } from './ref-files.js';

/** By default, network file systems cache names and metadata for a second. */
const WAIT_MS = 3_000;
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 300;

/**
 * Waits until the files show what other processes have recorded of refs. On a local disk they do at once.
 * @param known asked again each time, since pushes go on
 * @returns the refs of which they do not in time: git may have changed them by hand, or the file system is late
 */
export async function awaitRecorded(
  location: RepositoryLocation,
  { findRecorded, noteShown }: Omit<KnownRefs, 'version'>,
): Promise<ReadonlySet<string>> {
  const end = performance.now() + WAIT_MS;
  let pause = FIRST_PAUSE_MS;
  let recorded = await findRecorded();
  let unseen = await findUnseen(location, recorded);
  while (unseen.size > 0 && performance.now() < end) {
    await delay(pause);
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
    await refreshFolders(location, unseen);
    recorded = await findRecorded();
    unseen = await findUnseen(location, recorded);
  }
  if (unseen.size === 0) noteShown?.(recorded);
  return unseen;
}

/** Returns the refs whose files do not show what was recorded. Opens the files, without asking for metadata first. */
export async function findUnseen(
  location: RepositoryLocation,
  recorded: RecordedRefs,
): Promise<ReadonlySet<string>> {
  const unseen = new Set<string>();
  let packed: Promise<PackedRefs> | undefined;
  for (const [name, targets] of recorded) {
    const loose = await location.look(() => readLooseRef(join(location.path, name)));
    // What a symbolic ref points at is recorded under the name of that ref.
    if (loose !== null && 'symbolic' in loose) continue;
    if (loose === null) {
      packed ??= location.look(() => readPackedRefs(join(location.path, 'packed-refs')));
    }
    const found = loose?.oid ?? (await packed)?.targets.get(name) ?? null;
    if (!targets.has(found)) unseen.add(name);
  }
  return unseen;
}

/** Lists the folders of refs, upon which the kernel forgets what it knew of the names in them. */
async function refreshFolders(
  location: RepositoryLocation,
  refs: ReadonlySet<string>,
): Promise<void> {
  const { path } = location;
  const folders = new Set([...refs].map((name) => dirname(join(path, name))));
  for (const folder of [path, ...folders]) {
    await location.look(() => fallbackIfAbsent(readdir(folder), []));
  }
}
