import { open, readFile, rm, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { GitBusyError } from './errors.js';
import { errorCode, isAbsent } from './runtime.js';

/** A holder that has not been heard of for this long is gone; longer than any single step. */
const STALE_MS = 3 * 60 * 60_000;
/** One that has not written its name by then died in between. */
const UNNAMED_MS = 60_000;

/** There while a run is at work on the repository, or was killed at it. */
export const HOUSEKEEPING_LOCK = 'housekeeping.lock';

export interface HousekeepingLock {
  refresh(): Promise<void>;
  release(): Promise<void>;
}

/**
 * Lets one run at a time work on a repository, across processes and hosts.
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

/** Whether a process of this machine lives; another one may have its number by now. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) !== 'ESRCH';
  }
}
