import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isAbsent } from './room.js';

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

/** Locks that a machine which went down leaves behind; refs have theirs beside them. */
const LOCKS = [
  'HEAD.lock',
  'packed-refs.lock',
  'objects/info/commit-graph.lock',
  'objects/info/commit-graphs/commit-graph-chain.lock',
  'objects/pack/multi-pack-index.lock',
];
const TEMPORARY_IN_OBJECTS = /^(?:tmp_objdir-|incoming-|tmp_obj_)/;
const TEMPORARY_IN_PACK = /^(?:tmp_|\.tmp-)/;

export interface ObjectCounts {
  packs: number;
  loose: number;
}

export async function countObjects(repository: string): Promise<ObjectCounts> {
  const objects = join(repository, 'objects');
  const packs = (await names(join(objects, 'pack'))).filter((name) => name.endsWith('.pack'));
  let loose = 0;
  for (const folder of await names(objects)) {
    if (!/^[0-9a-f]{2}$/.test(folder)) continue;
    const files = await names(join(objects, folder));
    loose += files.filter((name) => /^[0-9a-f]{38}$/.test(name)).length;
  }
  return { packs: packs.length, loose };
}

/** Removes stale locks, and what pushes and packing left half-written a day ago or earlier. */
export async function removeLeftovers(repository: string): Promise<void> {
  for (const lock of LOCKS) await removeOlder(join(repository, lock), HOUR_MS);
  await removeRefLocks(join(repository, 'refs'));
  const objects = join(repository, 'objects');
  for (const name of await names(objects)) {
    if (TEMPORARY_IN_OBJECTS.test(name)) await removeOlder(join(objects, name), DAY_MS);
    if (!/^[0-9a-f]{2}$/.test(name)) continue;
    for (const file of await names(join(objects, name))) {
      if (file.startsWith('tmp_obj_')) await removeOlder(join(objects, name, file), DAY_MS);
    }
  }
  for (const name of await names(join(objects, 'pack'))) {
    if (TEMPORARY_IN_PACK.test(name)) await removeOlder(join(objects, 'pack', name), DAY_MS);
  }
}

async function removeOlder(path: string, ageMs: number): Promise<void> {
  const touched = await lastTouched(path);
  if (touched !== null && Date.now() - touched > ageMs) {
    await rm(path, { recursive: true, force: true });
  }
}

async function removeRefLocks(folder: string): Promise<void> {
  for (const entry of await tolerant(readdir(folder, { withFileTypes: true }), [])) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await removeRefLocks(path);
    else if (entry.name.endsWith('.lock')) await removeOlder(path, HOUR_MS);
  }
}

/** The latest change to a file or to anything in a folder; a long push keeps its folder young. */
async function lastTouched(path: string): Promise<number | null> {
  const found = await tolerant(lstat(path), null);
  if (!found?.isDirectory()) return found?.mtimeMs ?? null;
  const inside = await Promise.all(
    (await names(path)).map((name) => lastTouched(join(path, name))),
  );
  return Math.max(found.mtimeMs, ...inside.filter((time) => time !== null));
}

function names(folder: string): Promise<string[]> {
  return tolerant(readdir(folder), []);
}

/** Others remove files and folders at the same time. */
async function tolerant<T, U>(reading: Promise<T>, whenAbsent: U): Promise<T | U> {
  try {
    return await reading;
  } catch (error) {
    if (isAbsent(error)) return whenAbsent;
    throw error;
  }
}
