import { statfs } from 'node:fs/promises';

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

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];

/** Formats a number of bytes for people. */
export function formatBytes(bytes: number): string {
  const power = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), UNITS.length - 1);
  const value = bytes / 1024 ** power;
  return `${power === 0 ? String(bytes) : value.toFixed(1)} ${UNITS[power] ?? ''}`;
}
