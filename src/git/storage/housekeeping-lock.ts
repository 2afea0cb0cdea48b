import { open, readFile, rm, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { GitBusyError } from '../model/errors.js';
import { errorCode, isAbsent } from './files.js';

/** A lock that was not refreshed for this long is abandoned; longer than any single step. */
const STALE_MS = 3 * 60 * 60_000;
/** A lock without process id is abandoned after this time. */
const UNNAMED_MS = 60_000;

/** Exists while a run works on the repository, or after the run was killed. */
export const HOUSEKEEPING_LOCK = 'housekeeping.lock';

interface HousekeepingLock {
  refresh(): Promise<void>;
  release(): Promise<void>;
}

/**
 * Acquires the housekeeping lock of a repository, which holds across processes and hosts.
 * @throws GitBusyError
 */
export async function holdHousekeepingLock(repository: string): Promise<HousekeepingLock> {
  const path = join(repository, HOUSEKEEPING_LOCK);
  if (!(await create(path))) {
    if (!(await isAbandoned(path))) throw new GitBusyError('Housekeeping is already under way');
    await rm(path, { force: true });
    if (!(await create(path))) throw new GitBusyError('Housekeeping is already under way');
  }
  return {
    refresh: () => utimes(path, new Date(), new Date()),
    release: () => rm(path, { force: true }),
  };
}

async function create(path: string): Promise<boolean> {
  try {
    const file = await open(path, 'wx');
    await file.writeFile(`${process.pid} ${hostname()}\n`);
    await file.close();
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

async function isAbandoned(path: string): Promise<boolean> {
  try {
    const { mtimeMs } = await stat(path);
    const age = Date.now() - mtimeMs;
    if (age > STALE_MS) return true;
    const text = (await readFile(path, 'utf8')).trim();
    if (text === '') return age > UNNAMED_MS;
    const [pid, host] = text.split(' ');
    return host === hostname() && pid !== undefined && !isRunning(Number(pid));
  } catch (error) {
    if (isAbsent(error)) return true;
    throw error;
  }
}

/** Returns whether this machine has a process with that id. The id may have been reused. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) !== 'ESRCH';
  }
}
