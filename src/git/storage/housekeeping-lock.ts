import { randomUUID } from 'node:crypto';
import { link, open, readFile, rm, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { GitBusyError } from '../model/errors.js';
import { type LockOwners, UNNAMED } from '../process/lock-owners.js';
import { errorCode, fallbackIfAbsent, isAbsent, missingIfAbsent } from './files.js';

/** A lock that was not refreshed for this long is abandoned, whatever its owner; longer than any single step. */
const STALE_MS = 3 * 60 * 60_000;
/** A lock without process id and a claim are abandoned after this time. */
const UNFINISHED_MS = 60_000;

/** Exists while a run works on the repository or it is removed, or after the holder was killed. */
export const HOUSEKEEPING_LOCK = 'housekeeping.lock';
/** A second name of an abandoned lock. The run that removes the lock creates it. */
const CLAIM = 'housekeeping.claim';

/** Tokens of the locks that this process holds. A container that is started again may find one with its own process id. */
const held = new Set<string>();

export interface HousekeepingLock {
  /** The lock itself. Steps append their process groups, which may outlive this process. */
  readonly path: string;
  /** Whether another holder of the lock was killed. */
  readonly isTakenOver: boolean;
  refresh(): Promise<void>;
  release(): Promise<void>;
}

/**
 * Acquires the housekeeping lock of a repository, which holds across processes and hosts.
 * @throws GitBusyError
 * @throws RepositoryMissingError
 */
export async function holdHousekeepingLock(
  repository: string,
  owners: LockOwners = UNNAMED,
): Promise<HousekeepingLock> {
  const path = join(repository, HOUSEKEEPING_LOCK);
  const token = randomUUID();
  const create = (): Promise<boolean> => createLock(path, token, owners);
  let isTakenOver = false;
  held.add(token);
  try {
    let isCreated = await create();
    if (!isCreated && (await removeAbandoned(path, owners))) {
      isTakenOver = true;
      isCreated = await create();
    }
    if (!isCreated) throw new GitBusyError('Housekeeping or removal is already under way');
  } catch (error) {
    held.delete(token);
    throw missingIfAbsent(repository, error);
  }
  return {
    path,
    isTakenOver,
    refresh: () => utimes(path, new Date(), new Date()),
    release: async () => {
      await rm(path, { force: true });
      held.delete(token);
    },
  };
}

/** Returns whether a run works on the repository, or git processes of one that was killed. */
export async function isHousekeepingUnderWay(
  repository: string,
  owners: LockOwners,
): Promise<boolean> {
  return !(await fallbackIfAbsent(isAbandoned(join(repository, HOUSEKEEPING_LOCK), owners), true));
}

async function createLock(path: string, token: string, owners: LockOwners): Promise<boolean> {
  const owner = [process.pid, hostname(), token, owners.machine, owners.current() ?? ''];
  try {
    const file = await open(path, 'wx');
    try {
      await file.writeFile(`${owner.join(' ')}\n`);
    } catch (error) {
      // A full disk leaves it empty.
      await rm(path, { force: true });
      throw error;
    } finally {
      await file.close();
    }
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
async function removeAbandoned(path: string, owners: LockOwners): Promise<boolean> {
  const claim = join(dirname(path), CLAIM);
  try {
    await link(path, claim);
  } catch (error) {
    if (isAbsent(error)) return true;
    if (errorCode(error) !== 'EEXIST') throw error;
    await removeOldClaim(claim);
    return false;
  }
  // A slow process can lose its claim to another one.
  const isFree = await fallbackIfAbsent(isAbandoned(claim, owners), false);
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

/**
 * Returns whether a lock has neither a live owner nor live processes. Of another machine only the owner is known, which
 * ends its processes when it finds that it is over.
 * @param path of the lock or its claim
 */
async function isAbandoned(path: string, owners: LockOwners): Promise<boolean> {
  const { mtimeMs } = await stat(path);
  const age = Date.now() - mtimeMs;
  if (age > STALE_MS) return true;
  const text = (await readFile(path, 'utf8')).trim();
  if (text === '') return age > UNFINISHED_MS;
  const [first = '', ...groups] = text.split('\n');
  const [pid, host, token = '', machine, owner = ''] = first.split(' ');
  // Older versions name no machine.
  const isHere = machine === undefined ? host === hostname() : machine === owners.machine;
  if (!isHere) return owner !== '' && owners.isOver(owner);
  if (groups.some((group) => isRunning(-Number(group)))) return false;
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
