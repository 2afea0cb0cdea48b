import { mkdir, readdir, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DataDirInUseError } from './errors.js';
import { LockHeldError, newTaking, releaseLockFile, takeLockFile } from './lock-file.js';

const FILE = 'trellis.pid';

/**
 * Makes the data folder when it is missing. Only its owner may list it; root's may be walked
 * through, since the database server runs as another user below it.
 * @returns its path with all symbolic links resolved
 */
export async function ensureDataDir(dataDir: string): Promise<string> {
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
