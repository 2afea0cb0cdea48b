import type { Advertisements } from './advertisements.js';
import type { ByteCache } from './byte-cache.js';
import type { ClientRate } from './client-pace.js';
import type { CoProcessPool } from './co-process-pool.js';
import { RepositoryMissingError } from './errors.js';
import type { GitCommand } from './command-table.js';
import { lookAt } from './file-mark.js';
import type { Launcher, RunOptions, RunResult } from './launcher.js';
import type { PackedRefs } from './packed-refs.js';
import type { PushMemory } from './push-memory.js';
import type { Marked, RefValue } from './ref-files.js';
import type { WorkKind } from './process-scheduler.js';
import type { KnownRefList } from './ref-lists.js';
import type { NamedEntry } from './tree-parser.js';
import type { Commit, Diff } from './types.js';

export { errorCode, isAbsent } from './file-errors.js';

/**
 * The caches of a process. Objects never change, so their values do not expire; refs are cached with the
 * marks of their files.
 */
export interface Caches {
  commits: ByteCache<Commit>;
  /** Packed windows of commit ids, 20 bytes each. */
  windows: ByteCache<Buffer>;
  /** Small answers about commits: totals, ancestry, merge bases, change counts, peeled tags. */
  facts: ByteCache<unknown>;
  looseRefs: ByteCache<Marked<RefValue | null>>;
  packedRefs: ByteCache<Marked<PackedRefs>>;
  refLists: ByteCache<KnownRefList>;
  trees: ByteCache<NamedEntry[]>;
  diffs: ByteCache<Diff>;
  /** Small files. */
  blobs: ByteCache<Buffer>;
}

/** What all repositories of a process share. */
export interface GitRuntime {
  launcher: Launcher;
  pool: CoProcessPool;
  caches: Caches;
  advertisements: Advertisements;
  requestTimeoutMs: number;
  /** How long a conversation with a client may be without a byte either way. */
  streamIdleMs: number;
  /** How slowly the client of a conversation may send and read. */
  clientRate: ClientRate;
  /** How long after its beginning the client of a fetch may still say what it wants and has. */
  negotiationMs: number;
  pushMemory: PushMemory;
  /** The kind of work that is under way where this is asked. */
  currentWorkKind: () => WorkKind;
  /** The folder git takes hooks from. */
  hooks: string;
  /** The program that ssh asks for a password. */
  askpass: string;
}

/** The path of a repository, and the identity of the folder there: a folder created anew has another. */
export class RepositoryLocation {
  private seen: Promise<string> | undefined;

  constructor(
    readonly path: string,
    readonly runtime: GitRuntime,
  ) {}

  /**
   * Names the folder that is there now; the key under which everything is remembered. Steps that
   * follow each other without waiting for anything share one look.
   * @throws RepositoryMissingError
   */
  identity(): Promise<string> {
    if (this.seen === undefined) {
      this.seen = this.look();
      // Comes when nothing is left that could go on without waiting.
      process.nextTick(() => {
        this.seen = undefined;
      });
    }
    return this.seen;
  }

  /**
   * Runs one git command about the repository, when its turn has come.
   * @param kind what for, where it is not what is under way anyway
   */
  run(
    command: GitCommand,
    options: Omit<RunOptions, 'workload'>,
    kind: WorkKind = this.runtime.currentWorkKind(),
  ): Promise<RunResult> {
    const workload = { kind, repository: this.path };
    return this.runtime.launcher.run(command, { ...options, workload });
  }

  private look(): Promise<string> {
    const found = lookAt(this.path);
    if (found?.isDirectory() !== true) {
      return Promise.reject(new RepositoryMissingError(this.path));
    }
    const { dev, ino, birthtimeNs } = found;
    return Promise.resolve(`${this.path}\0${dev}:${ino}:${birthtimeNs}`);
  }
}
