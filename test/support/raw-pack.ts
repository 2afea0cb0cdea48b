import { createHash } from 'node:crypto';
import { createDeflate, deflateSync } from 'node:zlib';
import { ZERO_OID } from '../../src/git/index.js';
import { pushBody } from '../unit/git/support/raw-push.js';
import { blobObject, commitObject, type GitObject, treeObject } from './git-objects.js';

const TYPES = { commit: 1, tree: 2, blob: 3, tag: 4 } as const;

export interface RepeatedObject {
  type: keyof typeof TYPES;
  head: string;
  /** What the content goes on with behind the head: so many bytes `x`. */
  filler: number;
  /** How much zlib is to compress, from 0 to 9. */
  level?: number;
}

export interface RawPack {
  oid: string;
  pack: Buffer;
}

/** A pack of one object of any size, without holding the object in memory. */
export async function packOfRepeated(object: RepeatedObject): Promise<RawPack> {
  const { type, head, filler, level = 1 } = object;
  const size = head.length + filler;
  const hash = createHash('sha1').update(`${type} ${String(size)}\0${head}`);
  const deflate = createDeflate({ level });
  const compressed: Buffer[] = [];
  const done = new Promise<void>((resolve, reject) => {
    deflate.on('data', (chunk: Buffer) => compressed.push(chunk));
    deflate.once('end', resolve).once('error', reject);
  });
  deflate.write(head);
  const block = Buffer.alloc(1024 * 1024, 'x');
  for (let left = filler; left > 0; left -= block.length) {
    const part = block.subarray(0, Math.min(left, block.length));
    hash.update(part);
    if (!deflate.write(part)) await new Promise((resolve) => deflate.once('drain', resolve));
  }
  deflate.end();
  await done;
  const pack = packOfEntries([[entryHead(TYPES[type], size), ...compressed]]);
  return { oid: hash.digest('hex'), pack };
}

/** Larger ones are not stored as differences in git's own packs. */
const VERSION_BYTES = 8 * 1024 * 1024;
/** Copies so many bytes from the beginning of the base, and inserts four others. */
const COPY_AND_INSERT = Buffer.from([0xc0, 0x80, 4]);
const NAME_BYTES = 4;
const REF_DELTA = 7;

/** A pack of one commit with files of 8 MiB, each of which takes some 200 bytes as a difference from the first. */
export function packOfVersions(count: number): RawPack {
  const blob = blobObject('x'.repeat(VERSION_BYTES + NAME_BYTES));
  const { content } = blob;
  // Hashing the common part for each version again would take seconds.
  const common = createHash('sha1')
    .update(`blob ${String(content.length)}\0`)
    .update(content.subarray(0, VERSION_BYTES));
  const base = Buffer.from(blob.oid, 'hex');
  const names = Array.from({ length: count }, (_, at) => String(at).padStart(NAME_BYTES, '0'));
  const sizes = Buffer.concat([variableSize(content.length), variableSize(content.length)]);
  const differences = names.map((name) => [
    entryHead(REF_DELTA, sizes.length + COPY_AND_INSERT.length + NAME_BYTES),
    base,
    deflateSync(Buffer.concat([sizes, COPY_AND_INSERT, Buffer.from(name)])),
  ]);
  const versions = names.map((name) => [name, common.copy().update(name).digest('hex')] as const);
  const tree = treeObject(new Map([...versions, ['base', blob.oid]]));
  const commit = commitObject(tree.oid, [], 'Versions');
  const whole = [blob, tree, commit].map((object) => wholeEntry(object));
  return { oid: commit.oid, pack: packOfEntries([...whole, ...differences]) };
}

/** A pack of one commit with one file of so many bytes, which is not compressed: it takes as many bytes to send. */
export function packOfLargeFile(bytes: number): RawPack {
  const blob = blobObject('x'.repeat(bytes));
  const tree = treeObject(new Map([['large', blob.oid]]));
  const commit = commitObject(tree.oid, [], 'Large');
  return { oid: commit.oid, pack: packOfObjects([blob, tree, commit], 0) };
}

/**
 * A pack of objects, each of them whole.
 * @param level how much zlib is to compress, from 0 to 9
 */
export function packOfObjects(objects: readonly GitObject[], level?: number): Buffer {
  return packOfEntries(objects.map((object) => wholeEntry(object, level)));
}

function wholeEntry({ type, content }: GitObject, level?: number): Buffer[] {
  return [entryHead(TYPES[type], content.length), deflateSync(content, { level })];
}

function packOfEntries(entries: readonly Buffer[][]): Buffer {
  const start = Buffer.alloc(12);
  start.write('PACK');
  start.writeUInt32BE(2, 4);
  start.writeUInt32BE(entries.length, 8);
  const body = Buffer.concat([start, ...entries.flat()]);
  return Buffer.concat([body, createHash('sha1').update(body).digest()]);
}

/** A size as differences spell it: seven bits in each byte, the lowest first. */
function variableSize(size: number): Buffer {
  const bytes: number[] = [];
  let rest = size;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest & 0x7f) | 0x80);
  return Buffer.from([...bytes, rest]);
}

/** The body of a push that makes one branch. */
export function branchPushBody(branch: string, { oid, pack }: RawPack): Buffer {
  const update = { ref: `refs/heads/${branch}`, oldOid: ZERO_OID, newOid: oid };
  return pushBody([update], 'report-status side-band-64k', pack);
}

function entryHead(type: number, size: number): Buffer {
  const bytes: number[] = [];
  let current = (type << 4) | (size & 15);
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes.push(current | 0x80);
    current = rest & 0x7f;
  }
  return Buffer.from([...bytes, current]);
}
