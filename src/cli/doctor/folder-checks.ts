import { randomBytes } from 'node:crypto';
import { link, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '../../platform/config/index.js';
import { type DiskReport, formatBytes } from '../../platform/monitoring/index.js';
import { isFolder } from '../probes/folder.js';
import { attempt, type Check, ok, problem, warning } from './check.js';

/** A storage that is nearly full makes pushes fail, then PostgreSQL. */
const LOW = 0.1;
const EXHAUSTED = 0.01;
const LOW_BYTES = 1024 ** 3;
const EXHAUSTED_BYTES = 64 * 1024 ** 2;

/** What the checks of folders depend on besides the folders. */
export interface FolderSurroundings {
  /** The account that the service runs as; undefined where accounts have no numbers. */
  readonly uid: number | undefined;
  readonly probeDisk: (folder: string) => Promise<DiskReport>;
}

/** Checks `DATA_DIR` and the storages: accounts and modes, what the file systems can do, and their room. */
export async function checkFolders(
  config: Config,
  surroundings: FolderSurroundings,
): Promise<Check[]> {
  const { dataDir, storages } = config;
  if (!(await isFolder(dataDir))) {
    const advice = 'set DATA_DIR to the folder of the service, or start it once to create one';
    return [problem('data-dir', `there is no folder ${dataDir}`, advice)];
  }
  const roots: [name: string, folder: string][] = [
    ['data-dir', dataDir],
    ...[...storages].map(([name, root]): [string, string] => [`storage ${name}`, root]),
  ];
  const checks = await Promise.all(
    roots.map(async ([name, folder]): Promise<Check[]> => {
      if (!(await isFolder(folder))) {
        const detail = `there is no folder ${folder}`;
        return [problem(name, detail, 'mount it or restore it; the next start makes an empty one')];
      }
      return Promise.all([
        checkOwnership(name, folder, surroundings),
        checkFileSystem(`${name} file-system`, folder),
        checkRoom(`${name} disk`, folder, surroundings),
      ]);
    }),
  );
  return checks.flat();
}

/** Checks who owns a folder and what lies in it, and who may enter. Root's is walked through by the embedded server. */
function checkOwnership(name: string, folder: string, { uid }: FolderSurroundings): Promise<Check> {
  return attempt(name, `let the service's account own ${folder} and read it`, async () => {
    const entries = (await readdir(folder)).map((entry) => path.join(folder, entry));
    for (const entry of [folder, ...entries]) {
      const { uid: owner, mode } = await stat(entry);
      // The cluster belongs to the server's account.
      const isCluster = path.basename(entry).startsWith('postgres');
      if (uid !== undefined && owner !== uid && !isCluster) {
        return problem(
          ...([name, `${entry} belongs to account ${owner}, the service runs as ${uid}`] as const),
          `run this command as the service's account, or: chown -R ${uid} ${entry}`,
        );
      }
      if (entry === folder && (mode & 0o066) !== 0) {
        const detail = `${entry} is open to other accounts (mode ${(mode & 0o777).toString(8)})`;
        return warning(name, detail, `chmod 700 ${entry}; the next start does so`);
      }
    }
    return ok(name, folder);
  });
}

/** Tries what the service relies on: new files, hard links and atomic renames. */
function checkFileSystem(name: string, folder: string): Promise<Check> {
  const advice = `${folder} has to be writable, on a file system with hard links and atomic renames`;
  return attempt(name, advice, async () => {
    const trial = await mkdtemp(path.join(folder, '.doctor-'));
    try {
      const [first, second] = [path.join(trial, 'first'), path.join(trial, 'second')] as const;
      await writeFile(first, randomBytes(16));
      await link(first, second);
      await rename(second, path.join(trial, 'third'));
    } finally {
      await rm(trial, { recursive: true, force: true });
    }
    return ok(name, 'writable, with hard links and renames');
  });
}

function checkRoom(
  name: string,
  folder: string,
  { probeDisk }: FolderSurroundings,
): Promise<Check> {
  return attempt(name, `mount ${folder}`, async () => {
    const { freeBytes, totalBytes, freeFiles, totalFiles } = await probeDisk(folder);
    const share = freeBytes / totalBytes;
    const fileShare = freeFiles === null || totalFiles === null ? 1 : freeFiles / totalFiles;
    const files = freeFiles === null ? '' : `, ${freeFiles} inodes`;
    const detail = `${formatBytes(freeBytes)} free (${Math.floor(share * 100)} %)${files}`;
    const advice = `free some room on the file system of ${folder}, or move storages to a larger one`;
    if (freeBytes < EXHAUSTED_BYTES || share < EXHAUSTED || fileShare < EXHAUSTED) {
      return problem(name, detail, advice);
    }
    const isLow = (freeBytes < LOW_BYTES && share < 0.5) || share < LOW || fileShare < LOW;
    return isLow ? warning(name, detail, advice) : ok(name, detail);
  });
}
