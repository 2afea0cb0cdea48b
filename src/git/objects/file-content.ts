import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { MIB } from '../model/bytes.js';
import type { Oid } from '../model/types.js';
import { SharedState } from '../process/runtime.js';
import { ByteCache } from '../storage/byte-cache.js';
import type { RepositoryLocation } from '../storage/repository-location.js';
import type { ObjectReader } from './object-reader.js';

/** Contents of small files. */
const BLOBS = new SharedState(() => new ByteCache<Buffer>('files', 12 * MIB));

/** Larger files are not read into memory; bytes. */
const MAX_HELD_BYTES = 1024 * 1024;
/** A file with a NUL in its first bytes is binary for git. */
const LOOKED_AT_BYTES = 8000;

export interface FileContent {
  /** Bytes. */
  size: number;
  /** By the rule of git. */
  isBinary: boolean;
  /** A stream for large files, which has to be read or destroyed. */
  content: Buffer | Readable;
}

/**
 * Opens a file for a client. Small files are read through the `cat-file` process and cached. Large files have
 * their own processes; the caller has to limit their number.
 * @returns null when there is no such blob
 */
export async function openFile(
  location: RepositoryLocation,
  objects: ObjectReader,
  oid: Oid,
): Promise<FileContent | null> {
  const cache = location.runtime.shared(BLOBS);
  const key = `${await location.identity()}\0${oid}`;
  const known = cache.get(key);
  if (known) return held(known);
  const info = await objects.info(oid);
  if (info?.type !== 'blob') return null;
  if (info.size <= MAX_HELD_BYTES) {
    const object = await objects.read(oid, { maxBytes: MAX_HELD_BYTES });
    if (!object) return null;
    cache.set(key, object.content, info.size);
    return held(object.content);
  }
  const { size, content } = await objects.stream(oid);
  const beginning = await location.unlessRemoved(beginningOf(content));
  return { size, content, isBinary: isBinary(beginning) };
}

function held(content: Buffer): FileContent {
  return { size: content.length, content, isBinary: isBinary(content) };
}

function isBinary(content: Buffer): boolean {
  return content.subarray(0, LOOKED_AT_BYTES).includes(0);
}

/** Returns the first bytes of a stream without consuming them. */
async function beginningOf(content: Readable): Promise<Buffer> {
  for (;;) {
    const chunk = content.read() as Buffer | null;
    if (chunk !== null) {
      content.unshift(chunk);
      return chunk;
    }
    if (content.destroyed || content.readableEnded) return Buffer.alloc(0);
    await once(content, 'readable');
  }
}
