import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { constants, inflateSync } from 'node:zlib';
import { OID_BYTES } from '../model/bytes.js';
import { GitProcessError, GitProtocolError } from '../model/errors.js';
import type { ObjectType, Oid } from '../model/types.js';
import { gitCommands } from '../process/command-table.js';
import { isAbsent } from '../storage/files.js';
import type { RepositoryLocation } from '../storage/repository-location.js';

/** git reads the sizes of larger packs, and of packs with more objects. */
const SMALL_PACK_BYTES = 256 * 1024;
const SMALL_PACK_OBJECTS = 500;
const LIST_LIMIT_MS = 10 * 60_000;
const LINE = /^(commit|tree|blob|tag) (\d+) ([0-9a-f]{40})$/;

const FANOUT_AT = 8;
const FANOUT_BYTES = 256 * 4;
const INDEX_MAGIC = 0xff744f63;
const INDEX_VERSION = 2;
const TYPES: Readonly<Record<number, ObjectType>> = { 1: 'commit', 2: 'tree', 3: 'blob', 4: 'tag' };
const OFS_DELTA = 6;
const REF_DELTA = 7;
/** Enough for the two sizes at the beginning of a delta, even if they are compressed badly. */
const DELTA_HEAD_BYTES = 64;

/** The largest sizes of unpacked objects of a push or import, in bytes; Infinity means no limit. */
export interface ObjectLimits extends Readonly<Record<ObjectType, number>> {
  /** Limits the sum of all objects. */
  readonly total: number;
}

/**
 * Checks the sizes of the new objects in a folder. Returns the reason to refuse them: the first object above
 * the limit of its type, or the sum. Returns null when they are within the limits.
 * @param folder an object folder whose packs git has checked and indexed
 */
export async function exceededLimit(
  location: RepositoryLocation,
  folder: string,
  { what, limits }: { what: 'push' | 'import'; limits: ObjectLimits },
): Promise<string | null> {
  const check = new SizeCheck(what, limits);
  const few = await fewObjects(join(folder, 'pack'));
  if (few === null) await listByGit(location, folder, check);
  else for (const object of few) check.add(object);
  return check.reason;
}

class SizeCheck {
  reason: string | null = null;
  private total = 0;

  constructor(
    private readonly what: string,
    private readonly limits: ObjectLimits,
  ) {}

  add({ type, size, oid }: PackedObject): void {
    this.total += size;
    if (this.reason !== null) return;
    const most = this.limits[type];
    if (size > most) {
      this.reason = `The ${type} ${oid} is too large: it has ${bytes(size)}, and at most ${bytes(most)} are allowed.`;
    } else if (this.total > this.limits.total) {
      this.reason = `The ${this.what} is too large: unpacked, it may have at most ${bytes(this.limits.total)}.`;
    }
  }
}

function bytes(count: number): string {
  return `${count.toLocaleString('en-US')} bytes`;
}

/** Returns the objects of the only, small pack of a folder; null when git has to read them. */
async function fewObjects(folder: string): Promise<PackedObject[] | null> {
  try {
    const names = await readdir(folder);
    const [name, ...others] = names.filter((file) => file.endsWith('.pack'));
    if (name === undefined) return [];
    const path = join(folder, name);
    if (others.length > 0 || (await stat(path)).size > SMALL_PACK_BYTES) return null;
    const [pack, index] = await Promise.all([
      readFile(path),
      readFile(path.replace(/\.pack$/, '.idx')),
    ]);
    return parsePack(pack, index, SMALL_PACK_OBJECTS);
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}

/** Lets git list the sizes, at about half a million objects a second. */
async function listByGit(
  location: RepositoryLocation,
  folder: string,
  check: SizeCheck,
): Promise<void> {
  let rest = '';
  const exceeded = new AbortController();
  const take = (chunk: Buffer): void => {
    const lines = (rest + chunk.toString('latin1')).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const [, type, size, oid] = LINE.exec(line) ?? [];
      if (oid === undefined) throw new GitProtocolError(`cat-file answered ${line.slice(0, 100)}`);
      check.add({ type: type as ObjectType, size: Number(size), oid });
    }
    if (check.reason !== null) exceeded.abort();
  };
  try {
    await location.run(gitCommands.listObjects(location.path), {
      timeoutMs: LIST_LIMIT_MS,
      // Without the repository as alternate, whose objects would be listed as well.
      environment: { GIT_OBJECT_DIRECTORY: folder },
      signal: exceeded.signal,
      onStdout: take,
    });
  } catch (error) {
    if (check.reason === null || error instanceof GitProcessError) throw error;
  }
}

interface PackedObject {
  oid: Oid;
  type: ObjectType;
  /** Bytes, unpacked. */
  size: number;
}

/**
 * Lists the objects of a pack with their types and unpacked sizes. Unpacks only the first bytes of deltas, so
 * that a pack cannot cause large allocations.
 * @param index a pack index of version 2
 * @returns null when there are more than `most` objects
 */
function parsePack(pack: Buffer, index: Buffer, most: number): PackedObject[] | null {
  if (index.readUInt32BE(0) !== INDEX_MAGIC || index.readUInt32BE(4) !== INDEX_VERSION) return null;
  const count = index.readUInt32BE(FANOUT_AT + FANOUT_BYTES - 4);
  if (count > most) return null;
  const names = FANOUT_AT + FANOUT_BYTES;
  const offsets = names + count * (OID_BYTES + 4);
  const reader = new PackReader(pack);
  for (let at = 0; at < count; at += 1) {
    const oid = index.toString('hex', names + at * OID_BYTES, names + (at + 1) * OID_BYTES);
    reader.name(oid, index.readUInt32BE(offsets + at * 4));
  }
  return reader.objects();
}

class PackReader {
  private readonly offsets = new Map<Oid, number>();
  private readonly types = new Map<number, ObjectType>();

  constructor(private readonly pack: Buffer) {}

  name(oid: Oid, offset: number): void {
    this.offsets.set(oid, offset);
  }

  objects(): PackedObject[] {
    return [...this.offsets].map(([oid, offset]) => ({
      oid,
      type: this.typeAt(offset),
      size: this.sizeAt(offset),
    }));
  }

  /** Returns the type of an object. A delta has the type of its base. */
  private typeAt(offset: number): ObjectType {
    const chain: number[] = [];
    let at = offset;
    let type = this.types.get(at);
    while (type === undefined) {
      chain.push(at);
      const { kind, base } = this.entryAt(at);
      type = TYPES[kind];
      if (type !== undefined) break;
      // A cycle of bases means that the pack is damaged.
      if (base === undefined || chain.length > this.offsets.size) throw malformed();
      at = base;
      type = this.types.get(at);
    }
    for (const seen of chain) this.types.set(seen, type);
    return type;
  }

  private sizeAt(offset: number): number {
    const { kind, size, content } = this.entryAt(offset);
    if (TYPES[kind] !== undefined) return size;
    const head = inflateSync(this.pack.subarray(content, content + DELTA_HEAD_BYTES), {
      finishFlush: constants.Z_SYNC_FLUSH,
    });
    const [, behind] = lengthAt(head, 0);
    return lengthAt(head, behind)[0];
  }

  private entryAt(offset: number) {
    const first = byteAt(this.pack, offset);
    const kind = (first >> 4) & 0b111;
    let size = first & 0b1111;
    let at = offset + 1;
    if ((first & 0x80) !== 0) {
      const [more, behind] = lengthAt(this.pack, at);
      size += more * 16;
      at = behind;
    }
    if (kind === REF_DELTA) {
      const base = this.offsets.get(this.pack.toString('hex', at, at + OID_BYTES));
      return { kind, size, base, content: at + OID_BYTES };
    }
    if (kind !== OFS_DELTA) return { kind, size, base: undefined, content: at };
    let distance = byteAt(this.pack, at) & 0x7f;
    while ((byteAt(this.pack, at) & 0x80) !== 0) {
      at += 1;
      distance = (distance + 1) * 128 + (byteAt(this.pack, at) & 0x7f);
    }
    return { kind, size, base: offset - distance, content: at + 1 };
  }
}

/** Decodes a number with seven bits in each byte, the lowest first. */
function lengthAt(bytes: Buffer, offset: number): [value: number, end: number] {
  let value = 0;
  let factor = 1;
  let at = offset;
  for (;;) {
    const byte = byteAt(bytes, at);
    value += (byte & 0x7f) * factor;
    factor *= 128;
    at += 1;
    if ((byte & 0x80) === 0) return [value, at];
  }
}

function byteAt(bytes: Buffer, at: number): number {
  const byte = bytes[at];
  if (byte === undefined) throw malformed();
  return byte;
}

function malformed(): GitProtocolError {
  return new GitProtocolError('The pack of a push is malformed');
}
