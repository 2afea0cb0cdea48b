import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { parseCommit } from './commit-parser.js';
import { isAbsent } from './file-errors.js';
import type { Oid } from './types.js';

/** In bytes; larger packs are left to git, which reads them better. */
const SMALL_PACK = 64 * 1024;
const HEADER_BYTES = 12;
/** Where the header tells how many objects there are. */
const COUNT_AT = 8;
/** In bytes; no message of a person is as long. */
const LARGEST_COMMIT = 1024 * 1024;
const COMMIT = 1;

interface Inflated {
  buffer: Buffer;
  /** How many bytes of the input it took. */
  engine: { bytesWritten: number };
}

/**
 * The parents of those commits that the one small pack of a folder begins with: git puts commits
 * first, the newest at the head. Nothing for a larger pack, for several, and from the first object on
 * that is stored as a difference. git has checked the pack already.
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
    // Behind the type stands the size: as many bytes as have their first bit set, and one more.
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

/** Null for what is too large, or cannot be read this way: git is asked instead. */
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
