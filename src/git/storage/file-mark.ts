import { type BigIntStats, stat } from 'node:fs';
import { open } from 'node:fs/promises';
import { errorCode, fallbackIfAbsent, isAbsent } from './files.js';

const MILLISECOND_NS = 1_000_000n;
/** Timestamps of a file system that counts nanoseconds advance in steps of up to ten milliseconds. */
const FINE_STEP_MS = 50;
/** Other file systems count in units of a millisecond, one second or two seconds. */
const COARSE_STEP_MS = 2_500;

/** The approximate size of a mark in memory. */
export const MARK_BYTES = 250;

/**
 * Identifies a state of a file or folder by its metadata. Git never changes a ref in place: it renames a new
 * file over the old one, which changes the marks of the file and of its folder.
 */
export class FileMark {
  readonly isFolder: boolean;
  /** Bytes. */
  readonly size: number;
  /**
   * Whether any later change will change the mark. A change within the same step of the clock of the file system
   * may not, so content that was read with such a recent mark must not be cached.
   */
  readonly isSettled: boolean;
  private readonly device: bigint;
  private readonly file: bigint;
  private readonly modified: bigint;
  private readonly changed: bigint;

  private constructor(stats: BigIntStats, now: number) {
    this.isFolder = stats.isDirectory();
    this.size = Number(stats.size);
    this.device = stats.dev;
    this.file = stats.ino;
    this.modified = stats.mtimeNs;
    this.changed = stats.ctimeNs;
    this.isSettled = now - Number(latest(stats) / MILLISECOND_NS) > stepOf(stats);
  }

  /**
   * Returns the current mark of a path, null when there is no file. Has to be taken before reading, so that
   * the content is at worst newer than its mark.
   */
  static async read(path: string): Promise<FileMark | null> {
    const stats = await statIfPresent(path);
    return stats === null ? null : new FileMark(stats, Date.now());
  }

  /**
   * Like `read`, for a file that another machine may have replaced within the last second. Kernels remember metadata of network
   * file systems for so long, but ask for it again once the file has been opened and read.
   */
  static async readOpened(path: string): Promise<FileMark | null> {
    const file = await fallbackIfAbsent(open(path), null);
    if (file === null) return null;
    try {
      await file.read(Buffer.alloc(1));
      return new FileMark(await file.stat({ bigint: true }), Date.now());
    } finally {
      await file.close();
    }
  }

  equals(other: FileMark): boolean {
    return (
      this.file === other.file &&
      this.modified === other.modified &&
      this.changed === other.changed &&
      this.size === other.size &&
      this.device === other.device
    );
  }
}

/** Returns whether two marks are equal. Two missing files are. */
export function sameMark(a: FileMark | null, b: FileMark | null): boolean {
  return a === null || b === null ? a === b : a.equals(b);
}

/** Returns the metadata of a path, null when there is no file. */
export function statIfPresent(path: string): Promise<BigIntStats | null> {
  return new Promise((resolve, reject) => {
    stat(path, { bigint: true }, (error, stats) => {
      if (error === null) resolve(stats);
      else if (isAbsent(error) || errorCode(error) === 'ENAMETOOLONG') resolve(null);
      else reject(error);
    });
  });
}

function latest({ mtimeNs, ctimeNs }: BigIntStats): bigint {
  return mtimeNs > ctimeNs ? mtimeNs : ctimeNs;
}

function stepOf(stats: BigIntStats): number {
  return latest(stats) % MILLISECOND_NS === 0n ? COARSE_STEP_MS : FINE_STEP_MS;
}
