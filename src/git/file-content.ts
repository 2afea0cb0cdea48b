import { once } from 'node:events';
import type { Readable } from 'node:stream';
import type { ObjectReader } from './object-reader.js';
import type { RepositoryLocation } from './runtime.js';
import type { Oid } from './types.js';

/** Larger files are not read into memory; bytes. */
const MAX_HELD_BYTES = 1024 * 1024;
/** git calls a file binary that has a NUL in its first bytes. */
const LOOKED_AT_BYTES = 8000;

export interface FileContent {
  /** Bytes. */
  size: number;
  /** As git decides it. */
  isBinary: boolean;
  /** A stream, which must be read or destroyed, where the file is large. */
  content: Buffer | Readable;
}

/**
 * Opens a file for a client: a small one through the `cat-file` process, remembered; a large one through
 * a process of its own, whose number the caller has to bound.
 * @returns null when there is no such blob
 */
export async function openFile(
  location: RepositoryLocation,
  objects: ObjectReader,
  oid: Oid,
): Promise<FileContent | null> {
  const { caches } = location.runtime;
  const key = `${await location.identity()}\0${oid}`;
  const known = caches.blobs.get(key);
  if (known) return held(known);
  const info = await objects.info(oid);
  if (info?.type !== 'blob') return null;
  if (info.size <= MAX_HELD_BYTES) {
    const object = await objects.read(oid, { maxBytes: MAX_HELD_BYTES });
    if (!object) return null;
    caches.blobs.set(key, object.content, info.size);
    return held(object.content);
  }
  const { size, content } = await objects.stream(oid);
  return { size, content, isBinary: isBinary(await beginningOf(content)) };
}

function held(content: Buffer): FileContent {
  return { size: content.length, content, isBinary: isBinary(content) };
}

function isBinary(content: Buffer): boolean {
  return content.subarray(0, LOOKED_AT_BYTES).includes(0);
}

/** Looks at the first bytes without taking them. */
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
