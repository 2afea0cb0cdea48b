import { constants, inflateSync } from 'node:zlib';
import { GitProtocolError } from '../model/errors.js';
import type { ObjectType, Oid } from '../model/types.js';

const OID_BYTES = 20;
const FANOUT_AT = 8;
const FANOUT_BYTES = 256 * 4;
const INDEX_MAGIC = 0xff744f63;
const INDEX_VERSION = 2;
const TYPES: Readonly<Record<number, ObjectType>> = { 1: 'commit', 2: 'tree', 3: 'blob', 4: 'tag' };
const OFS_DELTA = 6;
const REF_DELTA = 7;
/** Enough for the two sizes at the beginning of a delta, even if they are compressed badly. */
const DELTA_HEAD_BYTES = 64;

export interface PackedObject {
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
export function parsePack(pack: Buffer, index: Buffer, most: number): PackedObject[] | null {
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
