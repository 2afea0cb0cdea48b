import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { parseCommit } from '../model/commit-parser.js';
import type { Oid } from '../model/types.js';
import { isAbsent } from '../storage/files.js';

/** In bytes; git reads larger packs. */
const SMALL_PACK = 64 * 1024;
const HEADER_BYTES = 12;
/** The offset of the number of objects. */
const COUNT_AT = 8;
/** In bytes; larger commits are read by git. */
const LARGEST_COMMIT = 1024 * 1024;
const COMMIT = 1;

interface Inflated {
  buffer: Buffer;
  /** How many bytes of the input were consumed. */
  engine: { bytesWritten: number };
}

/**
 * Returns the parents of the leading commits of the only pack in a folder, if it is small. git writes commits
 * first, beginning with the newest. Returns none for a larger pack and for several packs, and stops at the first
 * object that is not a whole commit. git has checked the pack already.
 */
export async function leadingCommits(folder: string): Promise<ReadonlyMap<Oid, readonly Oid[]>> {
  const pack = await smallPack(join(folder, 'pack'));
  return pack === null ? new Map() : commitsOf(pack);
}

async function smallPack(folder: string): Promise<Buffer | null> {
  try {
    const [name, ...others] = (await readdir(folder)).filter((file) => file.endsWith('.pack'));
    if (name === undefined || others.length > 0) return null;
    const path = join(folder, name);
    return (await stat(path)).size > SMALL_PACK ? null : await readFile(path);
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}

function commitsOf(pack: Buffer): Map<Oid, readonly Oid[]> {
  const commits = new Map<Oid, readonly Oid[]>();
  let at = HEADER_BYTES;
  const count = pack.readUInt32BE(COUNT_AT);
  while (commits.size < count && typeAt(pack, at) === COMMIT) {
    // The size follows the type: bytes with the first bit set, and one more.
    while (((pack[at] ?? 0) & 0x80) !== 0) at += 1;
    at += 1;
    const inflated = inflate(pack.subarray(at));
    if (inflated === null) break;
    at += inflated.engine.bytesWritten;
    const { oid, parents } = read(inflated.buffer);
    commits.set(oid, parents);
  }
  return commits;
}

/** Returns null for an object that is too large or cannot be inflated; git reads it instead. */
function inflate(input: Buffer): Inflated | null {
  try {
    const options = { info: true, maxOutputLength: LARGEST_COMMIT };
    return inflateSync(input, options) as unknown as Inflated;
  } catch {
    return null;
  }
}

function typeAt(pack: Buffer, at: number): number {
  return ((pack[at] ?? 0) >> 4) & 0b111;
}

function read(content: Buffer): { oid: Oid; parents: readonly Oid[] } {
  const hash = createHash('sha1')
    .update(`commit ${String(content.length)}\0`)
    .update(content);
  return parseCommit(hash.digest('hex'), content);
}
