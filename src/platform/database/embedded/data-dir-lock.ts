import { createHash, randomBytes } from 'node:crypto';
import { link, mkdir, readdir, readFile, realpath, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { writeNewFile } from '../../config/index.js';
import { codeOf, DataDirInUseError } from './errors.js';
import { processStamp, stillRuns } from './process/process-info.js';

const FILE = 'trellis.pid';

/**
 * Makes the data folder when it is missing. Only its owner may list it; root's may be walked
 * through, since the database server runs as another user below it.
 * @returns its path with all symbolic links resolved
 */
async function ensureDataDir(dataDir: string): Promise<string> {
  await mkdir(dataDir, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
  return await realpath(dataDir);
}

/** The right to be the one service on a `DATA_DIR`: `trellis.pid` in it names the holder. */
export class DataDirLock {
  private constructor(
    /** The locked folder, symbolic links resolved. */
    readonly dataDir: string,
    private readonly text: string,
  ) {}

  /** @throws DataDirInUseError when a live process holds the folder; a dead one's lock is taken over */
  static async take(dataDir: string): Promise<DataDirLock> {
    const folder = await ensureDataDir(dataDir);
    const { text } = await newTaking();
    try {
      await takeLockFile(join(folder, FILE), text);
    } catch (error) {
      if (error instanceof LockHeldError) throw new DataDirInUseError(folder, error.holder.pid);
      throw error;
    }
    const lock = new DataDirLock(folder, text);
    await lock.removeLeftovers();
    return lock;
  }

  /** Fails early where `take` would. @throws DataDirInUseError when a live process holds the folder */
  static async requireFree(dataDir: string): Promise<void> {
    const holder = await readTaking(join(dataDir, FILE));
    if (holder !== undefined && (await isLive(holder))) {
      throw new DataDirInUseError(dataDir, holder.pid);
    }
  }

  async release(): Promise<void> {
    await releaseLockFile(join(this.dataDir, FILE), this.text);
  }

  /** Drafts of processes that died while taking the lock. */
  private async removeLeftovers(): Promise<void> {
    const names = await readdir(this.dataDir);
    const leftovers = names.filter((name) => name.startsWith(`${FILE}.`));
    await Promise.all(leftovers.map((name) => rm(join(this.dataDir, name), { force: true })));
  }
}

/** What a lock file says: whose it is, and a mark no two takings share. */
interface Taking {
  readonly text: string;
  readonly pid: number;
  readonly stamp: string;
  /** Names this very taking of the lock in file names. */
  readonly mark: string;
}

/** A live process holds the lock. */
class LockHeldError extends Error {
  constructor(readonly holder: Taking) {
    super(`held by process ${holder.pid}`);
  }
}

function parse(text: string): Taking {
  const [pid = '', stamp = ''] = text.split('\n');
  const mark = createHash('sha256').update(text).digest('hex').slice(0, 12);
  return { text, pid: Number(pid), stamp, mark };
}

async function readTaking(path: string): Promise<Taking | undefined> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  });
  return text === undefined ? undefined : parse(text);
}

const isLive = async ({ pid, stamp }: Taking): Promise<boolean> =>
  Number.isSafeInteger(pid) && pid > 0 && (await stillRuns(pid, stamp));

/** Puts a complete lock file in place; false when another was there first. */
async function place(path: string, text: string, replace: boolean): Promise<boolean> {
  const draft = `${path}.draft-${process.pid}-${randomBytes(6).toString('hex')}`;
  await writeNewFile(draft, text);
  try {
    await (replace ? rename(draft, path) : link(draft, path));
    return true;
  } catch (error) {
    // ENOENT: the new holder of the lock tidied our draft away.
    if (codeOf(error) === 'EEXIST' || codeOf(error) === 'ENOENT') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/**
 * Replaces the file of a dead holder. Only the holder of a second lock, named after this very
 * taking, may do so: of two processes that saw the same dead holder the slower one finds the file
 * changed, and cannot remove what the faster one put there.
 */
async function replaceDead(path: string, dead: Taking, text: string): Promise<boolean> {
  const turn = `${path}.${dead.mark}`;
  try {
    await takeLockFile(turn, text);
  } catch (error) {
    if (!(error instanceof LockHeldError)) throw error;
    await delay(20);
    return false;
  }
  try {
    const now = await readTaking(path);
    return now?.mark === dead.mark && (await place(path, text, true));
  } finally {
    await rm(turn, { force: true });
  }
}

/** What this process writes into lock files. */
async function newTaking(): Promise<Taking> {
  const stamp = (await processStamp(process.pid)) ?? '';
  return parse(`${process.pid}\n${stamp}\n${randomBytes(8).toString('hex')}\n`);
}

/**
 * Takes a lock: a file that names its holder. The lock of a process that has died is taken over.
 * @throws LockHeldError when the holder lives
 */
async function takeLockFile(path: string, text: string): Promise<void> {
  for (;;) {
    if (await place(path, text, false)) return;
    const holder = await readTaking(path);
    if (holder === undefined) continue;
    if (await isLive(holder)) throw new LockHeldError(holder);
    if (await replaceDead(path, holder, text)) return;
  }
}

/** Removes the lock file if it is still this taking's. */
async function releaseLockFile(path: string, text: string): Promise<void> {
  if ((await readTaking(path))?.text === text) await rm(path, { force: true });
}
