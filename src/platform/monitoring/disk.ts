import { randomUUID } from 'node:crypto';
import { rm, statfs, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileErrorText } from '../errors/index.js';

/** The room on the file system of a folder. */
export interface DiskReport {
  /** For the service's account; root has more. */
  readonly freeBytes: number;
  readonly totalBytes: number;
  /** Null where the file system has no fixed number of files. */
  readonly freeFiles: number | null;
  readonly totalFiles: number | null;
}

/** @throws Error when there is no such folder */
export async function probeDisk(folder: string): Promise<DiskReport> {
  const { bsize, bavail, blocks, ffree, files } = await statfs(folder);
  return {
    freeBytes: bavail * bsize,
    totalBytes: blocks * bsize,
    freeFiles: files === 0 ? null : ffree,
    totalFiles: files === 0 ? null : files,
  };
}

/** Less than most pushes need, and more than is left by chance on a disk that is full. */
const TEST_BYTES = Buffer.alloc(256 * 1024, 1);

/**
 * Writes a file into a folder and deletes it again: nothing else shows a full disk, a quota or a mount that is read-only.
 * @throws Error of the file system
 */
export async function testWrite(folder: string): Promise<void> {
  const file = path.join(folder, `.write-test-${randomUUID()}`);
  try {
    await writeFile(file, TEST_BYTES, { flag: 'wx', mode: 0o600 });
  } finally {
    await rm(file, { force: true });
  }
}

/** Describes for people why a file system refuses something. */
export function describeFileError(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'there is no such folder';
  return fileErrorText(code) ?? 'it does not answer';
}

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];

/** Formats a number of bytes for people. */
export function formatBytes(bytes: number): string {
  const power = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), UNITS.length - 1);
  const value = bytes / 1024 ** power;
  return `${power === 0 ? String(bytes) : value.toFixed(1)} ${UNITS[power] ?? ''}`;
}
