import { chmod, mkdir, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Logger } from 'pino';
import { Git, type GitOptions } from '../git/index.js';
import { currentWorkKind } from '../platform/async/index.js';
import { ProcessIdentity } from '../platform/cluster/index.js';
import type { Config } from '../platform/config/index.js';
import { GIT_CLIENT_RATE, GIT_NEGOTIATION_MS } from '../platform/limits/index.js';
import { loadSecretKey, Secrets } from '../platform/secrets/index.js';
import { gitObserver } from './git-observer.js';
import { LeasedLocks } from './leased-locks.js';

/** What a process opens before its modules are put together. */
export interface Ground {
  config: Config;
  /** Of the configured PostgreSQL or of the embedded one. */
  databaseUrl: string;
  git: Git;
  identity: ProcessIdentity;
  /** The owners of the lock files of `git`. */
  locks: LeasedLocks;
  secrets: Secrets;
  logger: Logger;
}

/** What a client of Git may cost; other limits than the ordinary ones in tests. */
export type GitClientLimits = Pick<
  GitOptions,
  | 'clientRate'
  | 'negotiationMs'
  | 'streamIdleMs'
  | 'lookTimeoutMs'
  | 'requestTimeoutMs'
  | 'comparisonTimeoutMs'
  | 'pushMemoryBytes'
>;

const GIT_LIMITS: GitClientLimits = {
  clientRate: GIT_CLIENT_RATE,
  negotiationMs: GIT_NEGOTIATION_MS,
};

/** New files of the process and of git are open to its own account only. */
const PRIVATE_UMASK = 0o077;
const FOLDER = 0o700;
/** The embedded server runs as another account below a folder of root, and has to pass through it. */
const PASSABLE_FOLDER = 0o711;
const FILE = 0o600;

/** @throws GitUnavailableError when git is missing or too old */
export async function openGround(
  config: Config,
  databaseUrl: string,
  logger: Logger,
  gitLimits = GIT_LIMITS,
): Promise<Ground> {
  await closeFilesToOthers(config, logger);
  const secrets = new Secrets(await loadSecretKey(config));
  const runtimeDir = path.join(config.dataDir, 'run');
  const observer = gitObserver;
  const identity = new ProcessIdentity();
  const locks = new LeasedLocks(identity.machine);
  const options = {
    runtimeDir,
    currentWorkKind,
    observer,
    lockOwners: locks,
    threads: config.threads,
    readerMemoryBytes: config.gitReadMemoryBytes,
    ...gitLimits,
  };
  const git = await Git.open(options);
  return { config, databaseUrl, git, identity, locks, secrets, logger };
}

/**
 * Closes the service's files to other local accounts: sets the umask for new ones, and the modes of `DATA_DIR`, of the
 * files and folders in it and of the storages, which an older version created with the umask of its shell. What lies
 * deeper needs no change: others cannot reach it.
 */
async function closeFilesToOthers(config: Config, logger: Logger): Promise<void> {
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

/** Changes a mode, unless another account owns the entry, as it does the cluster of the embedded server. */
async function restrict(entry: string, mode: number, logger: Logger): Promise<void> {
  const found = await stat(entry).catch(() => null);
  if (found === null || (found.mode & 0o777) === mode) return;
  if (found.uid === process.getuid?.()) await chmod(entry, mode);
  else if ((found.mode & 0o077) !== 0) {
    logger.warn(`${entry} belongs to another account and is open to others: chmod it to 0700`);
  }
}
