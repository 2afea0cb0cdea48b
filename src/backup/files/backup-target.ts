import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { BackupError } from '../errors.js';
import { type Checksums, isBackupPath } from './checksums.js';

/** What a backup has taken so far. */
export interface BackupSize {
  files: number;
  /** Bytes that were written. */
  bytesCopied: number;
  /** Bytes of files that are shared with the previous backup. */
  bytesReused: number;
}

/** Where a backup is written to: a folder or an archive. It becomes a backup when it is complete. */
export interface BackupTarget {
  readonly size: Readonly<BackupSize>;
  /**
   * Takes a file whose content is determined by its path from the previous backup.
   * @returns false when it is not there with that many bytes
   */
  reuse(path: string, bytes: number): Promise<boolean>;
  /** Copies an open file, of which it reads as many bytes as the file has when it begins. */
  addFile(path: string, file: FileHandle): Promise<void>;
  addText(path: string, text: string): Promise<void>;
  addStream(path: string, content: Readable): Promise<void>;
  /**
   * Writes the checksums, flushes everything to the disk and makes the backup visible.
   * @returns where it is
   */
  complete(): Promise<string>;
  /** Removes what was written. */
  abandon(): Promise<void>;
}

const CHUNK_BYTES = 1024 * 1024;

/** Reads a file from its beginning, as many bytes as it has now. */
export async function* readChunks(file: FileHandle): AsyncGenerator<Buffer> {
  const { size } = await file.stat();
  for (let at = 0; at < size;) {
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, size - at));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, at);
    if (bytesRead === 0) throw new Error('A file became shorter while it was copied');
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** Collects the checksums and the size of what a target is given. */
export class BackupRecord {
  readonly size: BackupSize = { files: 0, bytesCopied: 0, bytesReused: 0 };
  private readonly sums = new Map<string, string>();

  get checksums(): Checksums {
    return this.sums;
  }

  /** Passes the chunks of a file on, and records the file at their end. */
  async *follow(path: string, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    requireBackupPath(path);
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const chunk of chunks) {
      hash.update(chunk);
      bytes += chunk.length;
      yield chunk;
    }
    this.sums.set(path, hash.digest('hex'));
    this.size.files += 1;
    this.size.bytesCopied += bytes;
  }

  /** Records a file that is shared with the previous backup. */
  addReused(path: string, checksum: string, bytes: number): void {
    this.sums.set(path, checksum);
    this.size.files += 1;
    this.size.bytesReused += bytes;
  }

  /** Records that a file which was just copied equals that of the previous backup, and is shared with it. */
  shareCopied(bytes: number): void {
    this.size.bytesCopied -= bytes;
    this.size.bytesReused += bytes;
  }
}

/** @throws BackupError for a file with which the backup could not be restored */
function requireBackupPath(path: string): void {
  if (!isBackupPath(path)) {
    throw new BackupError(
      `A backup cannot contain ${JSON.stringify(path)}: the service has no such file. Remove or rename it.`,
    );
  }
}
