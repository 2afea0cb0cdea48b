import { type FileHandle, lstat, open, readdir, readFile, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { fallbackIfAbsent, namesIn } from '../storage/files.js';
import { isRunning } from '../storage/housekeeping-lock.js';

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

/** Locks that remain after a crash of the machine and make every later git fail. */
const LOCKS = [
  'HEAD.lock',
  'config.lock',
  // The new file is removed before the lock that protects it.
  'packed-refs.new',
  'packed-refs.lock',
  'objects/info/commit-graph.lock',
  'objects/info/commit-graphs/commit-graph-chain.lock',
  'objects/pack/multi-pack-index.lock',
];
const LOOSE_FOLDER = /^[0-9a-f]{2}$/;
/** Incomplete files by their folder below `objects`; the empty name is `objects` itself. */
const TEMPORARY: readonly [folder: string, name: RegExp][] = [
  ['', /^(?:tmp_objdir-|incoming-|tmp_obj_)/],
  ['pack', /^(?:tmp_|\.tmp-)/],
  ['info/commit-graphs', /^tmp_/],
];
/** The text of a mark that prevents repacking of a pack. Older versions left them in the repository during a push. */
const KEPT_BY = /^(?:receive|fetch)-pack (\d+) on (.+)$/;

/**
 * Removes files of killed processes: locks after an hour, incomplete files of pushes and packing and the marks that
 * keep a pack after a day. An active push writes to its files all the time, and moves its refs within minutes
 * after the last write.
 */
export async function removeLeftovers(repository: string): Promise<void> {
  for (const lock of LOCKS) await removeOlder(join(repository, lock), HOUR_MS);
  await removeRefLocks(join(repository, 'refs'));
  const objects = join(repository, 'objects');
  const loose = (await namesIn(objects)).filter((name) => LOOSE_FOLDER.test(name));
  const leftovers = [...TEMPORARY, ...loose.map((name) => [name, /^tmp_obj_/] as const)];
  for (const [folder, pattern] of leftovers) {
    const path = join(objects, folder);
    const left = (await namesIn(path)).filter((name) => pattern.test(name));
    for (const name of left) await removeOlder(join(path, name), DAY_MS);
  }
  await releasePacks(join(objects, 'pack'));
  await removeUntrueIndex(join(objects, 'pack'));
}

/** Removes the marks of killed pushes, and keeps marks with other texts. */
async function releasePacks(folder: string): Promise<void> {
  for (const name of await namesIn(folder)) {
    if (!name.endsWith('.keep')) continue;
    const path = join(folder, name);
    const text = await fallbackIfAbsent(readFile(path, 'utf8'), '');
    const [, pid, host] = KEPT_BY.exec(text.trim()) ?? [];
    if (pid === undefined || (host === hostname() && isRunning(Number(pid)))) continue;
    await removeOlder(path, DAY_MS);
  }
}

/**
 * Removes an index of packs that names one which is gone; git refuses every push then. An older version could write
 * such an index, when packing that had outlived its killed worker met that of the next one.
 */
async function removeUntrueIndex(folder: string): Promise<void> {
  const path = join(folder, 'multi-pack-index');
  const file = await fallbackIfAbsent(open(path), null);
  if (file === null) return;
  try {
    const named = await packsIn(file);
    const present = new Set(await namesIn(folder));
    if (named.every((name) => present.has(`${name}.pack`) && present.has(`${name}.idx`))) return;
    // Packing replaces the index before it deletes packs.
    const isCurrent = (await file.stat()).ino === (await fallbackIfAbsent(lstat(path), null))?.ino;
    if (isCurrent) await rm(path, { force: true });
  } finally {
    await file.close();
  }
}

/**
 * Returns the names of packs, without extensions, in an index of packs. gitformat-pack(5) describes it: a header of 12 bytes
 * with the number of chunks at 6, then for each chunk, and for the end of the last one, an id of 4 bytes and an offset of 8.
 */
async function packsIn(index: FileHandle): Promise<string[]> {
  const read = async (position: number, length: number): Promise<Buffer> => {
    const { buffer, bytesRead } = await index.read(Buffer.alloc(length), { position });
    return buffer.subarray(0, bytesRead);
  };
  const chunks = (await read(6, 1))[0] ?? 0;
  const table = await read(12, (chunks + 1) * 12);
  for (let at = 0; at + 24 <= table.length; at += 12) {
    if (table.toString('latin1', at, at + 4) !== 'PNAM') continue;
    const start = Number(table.readBigUInt64BE(at + 4));
    const end = Number(table.readBigUInt64BE(at + 16));
    const names = (await read(start, end - start)).toString('utf8').split('\0');
    return names.filter((name) => name !== '').map((name) => name.replace(/\.idx$/, ''));
  }
  return [];
}

async function removeOlder(path: string, ageMs: number): Promise<void> {
  const touched = await lastTouched(path);
  if (touched !== null && Date.now() - touched > ageMs) {
    await rm(path, { recursive: true, force: true });
  }
}

async function removeRefLocks(folder: string): Promise<void> {
  for (const entry of await fallbackIfAbsent(readdir(folder, { withFileTypes: true }), [])) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await removeRefLocks(path);
    else if (entry.name.endsWith('.lock')) await removeOlder(path, HOUR_MS);
  }
}

/** Returns the time of the latest change of a file, or of any file in a folder. */
async function lastTouched(path: string): Promise<number | null> {
  const found = await fallbackIfAbsent(lstat(path), null);
  if (!found?.isDirectory()) return found?.mtimeMs ?? null;
  const inside = await Promise.all(
    (await namesIn(path)).map((name) => lastTouched(join(path, name))),
  );
  return Math.max(found.mtimeMs, ...inside.filter((time) => time !== null));
}
