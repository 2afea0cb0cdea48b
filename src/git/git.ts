import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Advertisements } from './advertisements.js';
import { ByteCache } from './byte-cache.js';
import type { ClientRate } from './client-pace.js';
import { CoProcessPool } from './co-process-pool.js';
import { assertRepositoryPath, gitCommands } from './command-table.js';
import { gitEnvironment, runtimeFolders } from './environment.js';
import { GitUnavailableError } from './errors.js';
import { Launcher } from './launcher.js';
import { requireHook, writeHooks } from './pre-receive-hook.js';
import { ASKPASS, writeProgram } from './programs.js';
import { createRepositoryFolder } from './repository-folder.js';
import { removeLeftoverFolders, removeRepositoryFolder } from './repository-folder.js';
import { PushMemory } from './push-memory.js';
import { Repository } from './repository.js';
import type { WorkKind } from './process-scheduler.js';
import { RepositoryLocation, type Caches, type GitRuntime } from './runtime.js';

/** For `rev-list --since-as-filter` and `merge-tree --write-tree`. */
const OLDEST_GIT = [2, 38] as const;
const MIB = 1024 * 1024;
const VERSION_TIMEOUT_MS = 10_000;
/** git itself says something every five seconds as long as it works. */
const STREAM_IDLE_MS = 5 * 60_000;
const ANY_RATE: ClientRate = { bytesPerSecond: 1, patienceMs: Infinity };
const PUSH_MEMORY_BYTES = 640 * MIB;
/** Longer than a fetch from another server may take, which works in such a folder. */
const LEFTOVER_AGE_MS = 2 * 60 * 60_000;

export interface GitOptions {
  /** `git` on the path unless told. */
  executable?: string;
  /** A folder of the service's own, for an empty home and the hooks. */
  runtimeDir: string;
  /** Long-lived git processes at once; 64 unless told. */
  maxProcesses?: number;
  /** How long one may be unused, in milliseconds; a minute unless told. */
  idleMs?: number;
  /** Bytes of memory that all pushes together may take beyond what their size explains. */
  pushMemoryBytes?: number;
  /** How long git may take to answer, in milliseconds; half a minute unless told. */
  requestTimeoutMs?: number;
  /** How long a client may neither send nor take a byte, in milliseconds; five minutes unless told. */
  streamIdleMs?: number;
  /** How slowly a client may send and read; as slowly as it likes unless told. */
  clientRate?: ClientRate;
  /** How long a client may take to say what it wants to fetch, in milliseconds; any time unless told. */
  negotiationMs?: number;
  /** Tells what kind of work is under way; `interactive` unless told. */
  currentWorkKind?: () => WorkKind;
}

/** Git as a library, on top of the git executable. One for each process. */
export class Git {
  private constructor(private readonly runtime: GitRuntime) {}

  /** @throws GitUnavailableError when git is missing or too old, or can run no hooks here */
  static async open(options: GitOptions): Promise<Git> {
    const folders = runtimeFolders(resolve(options.runtimeDir));
    await mkdir(folders.home, { recursive: true });
    await writeHooks(folders.hooks);
    await requireHook(folders.hooks);
    await writeProgram(folders.askpass, ASKPASS);
    const executable = options.executable ?? 'git';
    const launcher = new Launcher(executable, gitEnvironment(folders), folders.home);
    await checkVersion(launcher);
    const requestTimeoutMs = options.requestTimeoutMs ?? 30_000;
    const pool = new CoProcessPool(launcher, {
      maxProcesses: options.maxProcesses ?? 64,
      idleMs: options.idleMs ?? 60_000,
      requestTimeoutMs,
    });
    const { hooks, askpass } = folders;
    const shared = { caches: newCaches(), advertisements: new Advertisements() };
    const currentWorkKind = options.currentWorkKind ?? ((): WorkKind => 'interactive');
    const pushMemory = new PushMemory(options.pushMemoryBytes ?? PUSH_MEMORY_BYTES);
    const streamIdleMs = options.streamIdleMs ?? STREAM_IDLE_MS;
    const { clientRate = ANY_RATE, negotiationMs = Infinity } = options;
    const pace = { streamIdleMs, clientRate, negotiationMs };
    const limits = { ...pace, requestTimeoutMs, pushMemory, currentWorkKind };
    return new Git({ launcher, pool, hooks, askpass, ...limits, ...shared });
  }

  /** Git processes started since `Git.open`. */
  get spawnCount(): number {
    return this.runtime.launcher.spawnCount;
  }

  /** A handle; whether there is a repository shows when it is used. */
  repository(path: string): Repository {
    return new Repository(
      new RepositoryLocation(assertRepositoryPath(resolve(path)), this.runtime),
    );
  }

  /**
   * Makes an empty bare repository, completely or not at all; missing parent folders are made.
   * @throws RepositoryExistsError
   */
  async createRepository(path: string, options: { defaultBranch?: string } = {}): Promise<void> {
    await createRepositoryFolder(resolve(path), options.defaultBranch ?? 'master');
  }

  /** Removes a repository; one that is not there is fine. */
  async removeRepository(path: string): Promise<void> {
    const absolute = resolve(path);
    await removeRepositoryFolder(absolute, () =>
      this.runtime.pool.evict((owner) => owner.startsWith(`${absolute}\0`)),
    );
  }

  /**
   * Deletes repositories in a folder that were half made or half removed when a process died.
   * @returns how many there were
   */
  async removeLeftovers(folder: string, olderThanMs = LEFTOVER_AGE_MS): Promise<number> {
    return removeLeftoverFolders(resolve(folder), olderThanMs);
  }

  /** Lets requests under way finish, then ends all git processes. */
  async close(): Promise<void> {
    await this.runtime.pool.close();
    await this.runtime.launcher.close();
  }
}

/** At most about 110 MiB in all. */
function newCaches(): Caches {
  return {
    commits: new ByteCache(24 * MIB),
    windows: new ByteCache(16 * MIB),
    facts: new ByteCache(8 * MIB),
    looseRefs: new ByteCache(4 * MIB),
    packedRefs: new ByteCache(16 * MIB),
    refLists: new ByteCache(8 * MIB),
    trees: new ByteCache(12 * MIB),
    diffs: new ByteCache(16 * MIB),
    blobs: new ByteCache(12 * MIB),
  };
}

async function checkVersion(launcher: Launcher): Promise<void> {
  let answer: string;
  try {
    const workload = { kind: 'interactive', repository: '' } as const;
    const options = { timeoutMs: VERSION_TIMEOUT_MS, workload };
    const run = await launcher.run(gitCommands.version(), options);
    answer = run.stdout.toString('utf8').trim();
  } catch (error) {
    throw new GitUnavailableError('git cannot be run', null, { cause: error });
  }
  const [, major, minor] = /^git version (\d+)\.(\d+)/.exec(answer) ?? [];
  const [oldestMajor, oldestMinor] = OLDEST_GIT;
  const isEnough =
    Number(major) > oldestMajor || (Number(major) === oldestMajor && Number(minor) >= oldestMinor);
  if (!isEnough) {
    const version = answer.replace(/^git version /, '');
    throw new GitUnavailableError(
      `git ${oldestMajor}.${oldestMinor} or newer is needed; found ${version}`,
      version,
    );
  }
}
