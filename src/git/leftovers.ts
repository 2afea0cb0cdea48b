import { lstat, readdir, readFile, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { isRunning } from './housekeeping-lock.js';
import { names, tolerant } from './object-folder.js';

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

/** What a machine that went down leaves behind and every later git stumbles over. */
const LOCKS = [
  'HEAD.lock',
  'config.lock',
  // The new file before its lock, under which alone it may be written.
  'packed-refs.new',
  'packed-refs.lock',
  'objects/info/commit-graph.lock',
  'objects/info/commit-graphs/commit-graph-chain.lock',
  'objects/pack/multi-pack-index.lock',
];
const LOOSE_FOLDER = /^[0-9a-f]{2}$/;
/** Half-written files by the folder of `objects` they lie in; the empty name is `objects` itself. */
const TEMPORARY: readonly [folder: string, name: RegExp][] = [
  ['', /^(?:tmp_objdir-|incoming-|tmp_obj_)/],
  ['pack', /^(?:tmp_|\.tmp-)/],
  ['info/commit-graphs', /^tmp_/],
];
/** Who keeps a pack from being packed anew: a push that has yet to move its refs. */
const KEPT_BY = /^(?:receive|fetch)-pack (\d+) on (.+)$/;

/**
 * Removes what killed processes left: locks after an hour, what pushes and packing left half-written
 * after a day, and then also the marks that keep a pack for a push. A push under way touches its files
 * all the time, and has its refs moved within minutes once it has none left to write.
 */
export async function removeLeftovers(repository: string): Promise<void> {
  for (const lock of LOCKS) await removeOlder(join(repository, lock), HOUR_MS);
  await removeRefLocks(join(repository, 'refs'));
  const objects = join(repository, 'objects');
  const loose = (await names(objects)).filter((name) => LOOSE_FOLDER.test(name));
  const leftovers = [...TEMPORARY, ...loose.map((name) => [name, /^tmp_obj_/] as const)];
  for (const [folder, pattern] of leftovers) {
    const path = join(objects, folder);
    const left = (await names(path)).filter((name) => pattern.test(name));
    for (const name of left) await removeOlder(join(path, name), DAY_MS);
  }
  await releasePacks(join(objects, 'pack'));
}

/** Lets packs go that a killed push still holds; whatever else a mark says stands. */
async function releasePacks(folder: string): Promise<void> {
  for (const name of await names(folder)) {
    if (!name.endsWith('.keep')) continue;
    const path = join(folder, name);
    const text = await tolerant(readFile(path, 'utf8'), '');
    const [, pid, host] = KEPT_BY.exec(text.trim()) ?? [];
    if (pid === undefined || (host === hostname() && isRunning(Number(pid)))) continue;
    await removeOlder(path, DAY_MS);
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
