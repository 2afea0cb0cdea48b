import { stat } from 'node:fs/promises';
import type { ByteCache } from './byte-cache.js';
import type { CoProcessPool } from './co-process-pool.js';
import { RepositoryMissingError } from './errors.js';
import type { Launcher } from './launcher.js';
import type { PackedRefs } from './packed-refs.js';
import type { Semaphore } from './semaphore.js';
import type { NamedEntry } from './tree-parser.js';
import type { Commit, Diff } from './types.js';

/** What one process keeps of its repositories. Values of objects never change, so none expires. */
export interface Caches {
  commits: ByteCache<Commit>;
  /** Packed windows of commit ids, 20 bytes each. */
  windows: ByteCache<Buffer>;
  /** Small answers about commits: totals, ancestry, merge bases, change counts, peeled tags. */
  facts: ByteCache<unknown>;
  packedRefs: ByteCache<PackedRefs>;
  trees: ByteCache<NamedEntry[]>;
  diffs: ByteCache<Diff>;
  /** Small files. */
  blobs: ByteCache<Buffer>;
}

/** What all repositories of a process share. */
export interface Room {
  launcher: Launcher;
  pool: CoProcessPool;
  caches: Caches;
  /** Places for processes that send something large to a client, at the client's pace. */
  streams: Semaphore;
  requestTimeoutMs: number;
  /** The folder git takes hooks from. */
  hooks: string;
  /** The program that ssh asks for a password. */
  askpass: string;
}

/** A path, and the very folder that lies there: one made anew at the same path has another. */
export class Place {
  private asked: Promise<string> | undefined;

  constructor(
    readonly path: string,
    readonly room: Room,
  ) {}

  /**
   * Names the folder that is there now; the key under which everything is remembered. Questions
   * that are asked at the same time share one look.
   * @throws RepositoryMissingError
   */
  identity(): Promise<string> {
    this.asked ??= this.look().finally(() => {
      this.asked = undefined;
    });
    return this.asked;
  }

  private async look(): Promise<string> {
    try {
      const found = await stat(this.path, { bigint: true });
      if (found.isDirectory()) {
        return `${this.path}\0${found.dev}:${found.ino}:${found.birthtimeNs}`;
      }
    } catch (error) {
      if (!isAbsent(error)) throw error;
    }
    throw new RepositoryMissingError(this.path);
  }
}

/** Whether a file system error says that there is no such file. */
export function isAbsent(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}

export function errorCode(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null && 'code' in error
    ? String(error.code)
    : undefined;
}
