import { chmod, mkdir, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Logger } from 'pino';
import type { Config } from '../platform/config/index.js';

/** What the process creates from now on, and what git creates for it, is for its own account only. */
const PRIVATE_UMASK = 0o077;
const FOLDER = 0o700;
/** The embedded server runs as another account below a folder of root, and has to pass through it. */
const PASSABLE_FOLDER = 0o711;
const FILE = 0o600;

/**
 * Closes what the service keeps to other local accounts: the umask for what is yet to be created, and the
 * modes of `DATA_DIR`, of the files and folders in it and of the storages, which an older version created
 * with the umask of its shell. What lies deeper needs no change: nobody else gets there.
 */
export async function closeFilesToOthers(config: Config, logger: Logger): Promise<void> {
  process.umask(PRIVATE_UMASK);
  const { dataDir, storages, database } = config;
  await mkdir(dataDir, { recursive: true });
  const holdsCluster = database.url === undefined && process.getuid?.() === 0;
  await restrict(dataDir, holdsCluster ? PASSABLE_FOLDER : FOLDER, logger);
  for (const entry of await readdir(dataDir, { withFileTypes: true })) {
    const mode = entry.isDirectory() ? FOLDER : FILE;
    if (entry.isDirectory() || entry.isFile()) {
      await restrict(path.join(dataDir, entry.name), mode, logger);
    }
  }
  for (const root of storages.values()) {
    await mkdir(root, { recursive: true });
    await restrict(root, FOLDER, logger);
  }
}

/** Leaves what belongs to another account alone, such as the cluster of the embedded server. */
async function restrict(place: string, mode: number, logger: Logger): Promise<void> {
  const found = await stat(place).catch(() => null);
  if (found === null || (found.mode & 0o777) === mode) return;
  if (found.uid === process.getuid?.()) await chmod(place, mode);
  else if ((found.mode & 0o077) !== 0) {
    logger.warn(`${place} belongs to another account and is open to others: chmod it to 0700`);
  }
}
