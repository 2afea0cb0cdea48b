import { randomUUID } from 'node:crypto';
import { link, open, readFile, rm, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { GitBusyError } from '../model/errors.js';
import { errorCode, fallbackIfAbsent, isAbsent } from './files.js';

/** A lock that was not refreshed for this long is abandoned; longer than any single step. */
const STALE_MS = 3 * 60 * 60_000;
/** A lock without process id and a claim are abandoned after this time. */
const UNFINISHED_MS = 60_000;

/** Exists while a run works on the repository, or after the run was killed. */
export const HOUSEKEEPING_LOCK = 'housekeeping.lock';
/** A second name of an abandoned lock. The run that removes the lock creates it. */
const CLAIM = 'housekeeping.claim';

/** Tokens of the locks that this process holds. A container that is started again may find one with its own process id. */
const held = new Set<string>();

interface HousekeepingLock {
  /** The lock itself. Steps append their process groups, which may outlive this process. */
  readonly path: string;
  refresh(): Promise<void>;
  release(): Promise<void>;
}

/**
 * Acquires the housekeeping lock of a repository, which holds across processes and hosts.
 * @throws GitBusyError
 */
export async function holdHousekeepingLock(repository: string): Promise<HousekeepingLock> {
  const path = join(repository, HOUSEKEEPING_LOCK);
  const token = randomUUID();
  const create = (): Promise<boolean> => createLock(path, token);
  held.add(token);
  try {
    const isCreated = (await create()) || ((await removeAbandoned(path)) && (await create()));
    if (!isCreated) throw new GitBusyError('Housekeeping is already under way');
  } catch (error) {
    held.delete(token);
    throw error;
  }
  return {
    path,
    refresh: () => utimes(path, new Date(), new Date()),
    release: async () => {
      await rm(path, { force: true });
      held.delete(token);
    },
  };
}

async function createLock(path: string, token: string): Promise<boolean> {
  try {
    const file = await open(path, 'wx');
    await file.writeFile(`${process.pid} ${hostname()} ${token}\n`);
    await file.close();
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Removes an abandoned lock. Of several that find one, that which links the claim to it goes on. Without a claim, a
 * slower one would remove the new lock of the first.
 * @returns whether there is no lock now
 */
async function removeAbandoned(path: string): Promise<boolean> {
  const claim = join(dirname(path), CLAIM);
  try {
    await link(path, claim);
  } catch (error) {
    if (isAbsent(error)) return true;
    if (errorCode(error) !== 'EEXIST') throw error;
    await removeOldClaim(claim);
    return false;
  }
  const isFree = await isAbandoned(claim);
  if (isFree) await rm(path, { force: true });
  await rm(claim, { force: true });
  return isFree;
}

async function removeOldClaim(claim: string): Promise<void> {
  const found = await fallbackIfAbsent(stat(claim), null);
  // Linking changes the time of the status alone.
  if (found !== null && Date.now() - found.ctimeMs > UNFINISHED_MS)
    await rm(claim, { force: true });
}

/** Returns whether a lock, read under the name of its claim, has neither a live owner nor live processes. */
async function isAbandoned(claim: string): Promise<boolean> {
  const { mtimeMs } = await stat(claim);
  const age = Date.now() - mtimeMs;
  if (age > STALE_MS) return true;
  const text = (await readFile(claim, 'utf8')).trim();
  if (text === '') return age > UNFINISHED_MS;
  const [owner = '', ...groups] = text.split('\n');
  const [pid, host, token = ''] = owner.split(' ');
  if (host !== hostname() || groups.some((group) => isRunning(-Number(group)))) return false;
  return Number(pid) === process.pid ? !held.has(token) : !isRunning(Number(pid));
}

/**
 * Returns whether this machine has a process with that id, or any in the group of a negative one. The id may have been
 * reused.
 */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) !== 'ESRCH';
  }
}
