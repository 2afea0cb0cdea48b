import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { MIB } from './model/bytes.js';
import { GitUnavailableError } from './model/errors.js';
import { assertRepositoryPath } from './model/names.js';
import { CoProcessPool } from './process/co-process-pool.js';
import { gitCommands } from './process/command-table.js';
import { ASKPASS, gitEnvironment, runtimeFolders, writeProgram } from './process/environment.js';
import { Launcher } from './process/launcher.js';
import { type LockOwners, UNNAMED } from './process/lock-owners.js';
import type { GitObserver } from './process/observer.js';
import type { ProcessCounts, ProcessPurpose } from './process/process-scheduler.js';
import { type ClientRate, type RuntimeLimits, GitRuntime } from './process/runtime.js';
import { awaitRecorded } from './refs/recorded-refs.js';
import { Repository } from './repository.js';
import { LOOKS } from './storage/file-looks.js';
import {
  createRepositoryFolder,
  removeLeftoverFolders,
  removeRepositoryFolder,
} from './storage/repository-folder.js';
import { type LocationOptions, RepositoryLocation } from './storage/repository-location.js';
import { requireHooks, writeHooks } from './wire/pre-receive-hook.js';

/**
 * Of all git processes, which are given absolute paths. Node stands still until a child has entered its folder: one on a
 * file system that hangs would stop the service.
 */
const WORKING_FOLDER = '/';

/** For `rev-list --since-as-filter` and `merge-tree --write-tree`. */
const OLDEST_GIT = [2, 38] as const;
const VERSION_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const COMPARISON_TIMEOUT_MS = 10_000;
const LOOK_TIMEOUT_MS = 5_000;
const USUAL_THREADS = 4;
/** git itself writes something every five seconds as long as it works. */
const STREAM_IDLE_MS = 5 * 60_000;
const ANY_RATE: ClientRate = { bytesPerSecond: 1, patienceMs: Infinity };
/** Enough for `core.deltaBaseCacheLimit`, and less than the limits of the commands, which would fail then. */
const CO_PROCESS_BYTES = 96 * MIB;
const CO_PROCESSES_BYTES = 384 * MIB;
const PUSH_MEMORY_BYTES = 640 * MIB;
/** Commits in a folder of many files need most for their size: 10,000 of them among 50,000 files some 100 seconds. */
const PUSH_TIME_MS = 5 * 60_000;
const READER_MEMORY_BYTES = 640 * MIB;
/** Longer than a fetch from another server, which works in such a folder, may take. */
const LEFTOVER_AGE_MS = 2 * 60 * 60_000;

export interface GitOptions {
  /** The executable; by default `git` on the path. */
  executable?: string;
  /** A folder that belongs to the service, for an empty home directory and the hooks. */
  runtimeDir: string;
  /** The most long-lived git processes at once; by default 64. */
  maxProcesses?: number;
  /** How long a long-lived process may be unused, in milliseconds; by default one minute. */
  idleMs?: number;
  /** Bytes of memory that all pushes together may take beyond what their size explains. */
  pushMemoryBytes?: number;
  /**
   * Milliseconds of processor time that git may take for a push or import beyond what its size explains; by default five
   * minutes.
   */
  pushTimeMs?: number;
  /** Bytes of memory that all processes together may take that read for clients. */
  readerMemoryBytes?: number;
  /** How long git may take to answer, in milliseconds; by default 30 seconds. */
  requestTimeoutMs?: number;
  /**
   * How long git may compare contents, for a merge or a difference, with detection of renames, and then without, in
   * milliseconds; by default ten seconds.
   */
  comparisonTimeoutMs?: number;
  /** How long a file system may take to answer about one file, in milliseconds; by default five seconds. */
  lookTimeoutMs?: number;
  /** Of Node's pool, in which file systems are asked; by default four, as Node has them. */
  threads?: number;
  /** How long a client may neither send nor take a byte, in milliseconds; by default five minutes. */
  streamIdleMs?: number;
  /** The least rate at which a client has to send and to read; by default any. */
  clientRate?: ClientRate;
  /** How long a client may negotiate what it fetches, in milliseconds; by default without limit. */
  negotiationMs?: number;
  /** Returns the kind of work of the current asynchronous context; by default `interactive`. */
  currentWorkKind?: () => ProcessPurpose;
  /** Names this process in lock files; by default they name it by its id alone. */
  lockOwners?: LockOwners;
  /** Follows processes and conversations; by default nothing does. */
  observer?: GitObserver;
}

/** How a repository is opened; by default only its files say what is current. */
export type RepositoryOptions = Partial<Omit<LocationOptions, 'awaitRecorded'>>;

/** Git as a library, on top of the git executable. A process has one. */
export class Git {
  private constructor(private readonly runtime: GitRuntime) {}

  /** @throws GitUnavailableError when git is missing or too old, or cannot run hooks */
  static async open(options: GitOptions): Promise<Git> {
    const folders = runtimeFolders(resolve(options.runtimeDir));
    await mkdir(folders.home, { recursive: true });
    await writeHooks(folders);
    await requireHooks(folders, false);
    await writeProgram(folders.askpass, ASKPASS);
    const executable = options.executable ?? 'git';
    const environment = gitEnvironment(folders);
    const launcher = new Launcher(executable, environment, WORKING_FOLDER, options.observer);
    await checkVersion(launcher);
    const limits = limitsOf(options);
    const pool = new CoProcessPool(launcher, {
      maxProcesses: options.maxProcesses ?? 64,
      idleMs: options.idleMs ?? 60_000,
      memoryBytes: CO_PROCESS_BYTES,
      totalMemoryBytes: CO_PROCESSES_BYTES,
      requestTimeoutMs: limits.requestTimeoutMs,
    });
    const currentWorkKind = options.currentWorkKind ?? ((): ProcessPurpose => 'interactive');
    const lockOwners = options.lockOwners ?? UNNAMED;
    return new Git(new GitRuntime(launcher, pool, folders, limits, currentWorkKind, lockOwners));
  }

  /** Git processes started since `Git.open`. */
  get spawnCount(): number {
    return this.runtime.launcher.spawnCount;
  }

  /** Returns how many processes of each kind of work run, and how many wait for others to end. */
  processCounts(): ProcessCounts[] {
    return this.runtime.launcher.processCounts();
  }

  /** How many processes run now, those for clients and long-lived ones included. */
  get runningProcesses(): number {
    return this.runtime.launcher.runningCount;
  }

  /** Returns a handle. Whether there is a repository shows when the handle is used. */
  repository(path: string, options: RepositoryOptions = {}): Repository {
    const { storage = 'default' } = options;
    const absolute = assertRepositoryPath(resolve(path));
    return new Repository(
      new RepositoryLocation(absolute, this.runtime, { ...options, storage, awaitRecorded }),
    );
  }

  /**
   * Reads metadata of a storage within a time limit, few at a time.
   * @throws StorageUnavailableError
   */
  look<T>(storage: string, read: () => Promise<T>, limitMs?: number): Promise<T> {
    return this.runtime.shared(LOOKS).look(storage, read, limitMs);
  }

  /**
   * Creates an empty bare repository, completely or not at all, with missing parent folders.
   * @throws RepositoryExistsError
   */
  async createRepository(path: string, options: { defaultBranch?: string } = {}): Promise<void> {
    await createRepositoryFolder(resolve(path), options.defaultBranch ?? 'master');
  }

  /**
   * Removes a repository. Does nothing if there is none.
   * @throws GitBusyError while housekeeping works in it
   */
  async removeRepository(path: string): Promise<void> {
    const absolute = resolve(path);
    await removeRepositoryFolder(absolute, this.runtime.lockOwners, () =>
      this.runtime.pool.evict((owner) => owner.startsWith(`${absolute}\0`)),
    );
  }

  /**
   * Deletes repositories in a folder whose creation or removal was interrupted by the end of a process.
   * @returns how many it has deleted
   */
  async removeLeftovers(folder: string, olderThanMs = LEFTOVER_AGE_MS): Promise<number> {
    return removeLeftoverFolders(resolve(folder), olderThanMs);
  }

  /** Waits for requests in flight, then ends all git processes. */
  async close(): Promise<void> {
    await this.runtime.pool.close();
    await this.runtime.launcher.close();
  }
}

function limitsOf(options: GitOptions): RuntimeLimits {
  return {
    requestTimeoutMs: options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS,
    comparisonTimeoutMs: options.comparisonTimeoutMs ?? COMPARISON_TIMEOUT_MS,
    lookTimeoutMs: options.lookTimeoutMs ?? LOOK_TIMEOUT_MS,
    threads: options.threads ?? USUAL_THREADS,
    streamIdleMs: options.streamIdleMs ?? STREAM_IDLE_MS,
    clientRate: options.clientRate ?? ANY_RATE,
    negotiationMs: options.negotiationMs ?? Infinity,
    pushMemoryBytes: options.pushMemoryBytes ?? PUSH_MEMORY_BYTES,
    pushTimeMs: options.pushTimeMs ?? PUSH_TIME_MS,
    readerMemoryBytes: options.readerMemoryBytes ?? READER_MEMORY_BYTES,
  };
}

/**
 * Returns the version of the git on the path, without opening anything.
 * @throws GitUnavailableError when git is missing or too old
 */
export async function gitVersion(): Promise<string> {
  const folder = tmpdir();
  const launcher = new Launcher('git', gitEnvironment(runtimeFolders(folder)), folder);
  try {
    return await checkVersion(launcher);
  } finally {
    await launcher.close();
  }
}

async function checkVersion(launcher: Launcher): Promise<string> {
  let answer: string;
  try {
    const workload = { kind: 'interactive', repository: '' } as const;
    const options = { timeoutMs: VERSION_TIMEOUT_MS, workload };
    const run = await launcher.run(gitCommands.version(), options);
    answer = run.stdout.toString('utf8').trim();
  } catch (error) {
    throw new GitUnavailableError('git cannot be run', null, { cause: error });
  }
  const version = answer.replace(/^git version /, '');
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(version) ?? [];
  const [oldestMajor, oldestMinor] = OLDEST_GIT;
  const isEnough =
    Number(major) > oldestMajor || (Number(major) === oldestMajor && Number(minor) >= oldestMinor);
  if (!isEnough) {
    throw new GitUnavailableError(
      `git ${oldestMajor}.${oldestMinor} or newer is needed; found ${version}`,
      version,
    );
  }
  return version;
}
