import { statSync, type BigIntStats } from 'node:fs';
import { errorCode, isAbsent } from './file-errors.js';

const MILLISECOND_NS = 1_000_000n;
/** The clock of a file system that counts nanoseconds goes on in steps of up to ten milliseconds. */
const FINE_STEP_MS = 50;
/** Others count in milliseconds, in seconds, or in two seconds. */
const COARSE_STEP_MS = 2_500;

/** Bytes that a mark takes in memory, roughly. */
export const MARK_BYTES = 250;

/**
 * What tells one state of a file or folder from another without reading it. Git never changes a ref
 * in place: it renames a new file over the old one, which changes the marks of the file and of its
 * folder.
 */
export class FileMark {
  readonly isFolder: boolean;
  /** Bytes. */
  readonly size: number;
  /**
   * Whether any later change shows. One within the same step of the file system's clock may leave the
   * very same mark, so what was read under so young a mark has to be read again.
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
   * Looks at what is there now; null when there is nothing. To be called before reading: what is read
   * is then at worst newer than its mark. Does not wait, because a look costs 4 µs, and 100 µs through
   * the thread pool.
   */
  static of(path: string): FileMark | null {
    const stats = lookAt(path);
    return stats === null ? null : new FileMark(stats, Date.now());
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

/** Whether two looks saw the same; nothing is the same as nothing. */
export function sameMark(a: FileMark | null, b: FileMark | null): boolean {
  return a === null || b === null ? a === b : a.equals(b);
}

/** What is at a path, without waiting; null when there is nothing. */
export function lookAt(path: string): BigIntStats | null {
  try {
    // An exception would cost five times the look itself.
    return statSync(path, { bigint: true, throwIfNoEntry: false }) ?? null;
  } catch (error) {
    if (isAbsent(error) || errorCode(error) === 'ENAMETOOLONG') return null;
    throw error;
  }
}

function latest({ mtimeNs, ctimeNs }: BigIntStats): bigint {
  return mtimeNs > ctimeNs ? mtimeNs : ctimeNs;
}

function stepOf(stats: BigIntStats): number {
  return latest(stats) % MILLISECOND_NS === 0n ? COARSE_STEP_MS : FINE_STEP_MS;
}
