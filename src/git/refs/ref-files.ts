import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MIB } from '../model/bytes.js';
import { isOid, isValidRefName } from '../model/names.js';
import type { Oid } from '../model/types.js';
import { SharedState } from '../process/runtime.js';
import { ByteCache } from '../storage/byte-cache.js';
import { FileMark, MARK_BYTES } from '../storage/file-mark.js';
import { errorCode, isAbsent } from '../storage/files.js';
import type { RepositoryLocation } from '../storage/repository-location.js';
import { NO_PACKED_REFS, type PackedRefs, parsePackedRefs } from './packed-refs.js';

/** By path, the values of loose refs. */
const LOOSE_REFS = new SharedState(
  () => new ByteCache<Marked<RefValue | null>>('loose_refs', 4 * MIB),
);
/** By path, the contents of `packed-refs`. */
const PACKED_REFS = new SharedState(
  () => new ByteCache<Marked<PackedRefs>>('packed_refs', 16 * MIB),
);

const MAX_SYMBOLIC_DEPTH = 5;

type RefValue = { oid: Oid } | { symbolic: string };

/** A value with the mark of its file before it was read. The value is valid as long as the mark is the same. */
export interface Marked<T> {
  mark: FileMark | null;
  value: T;
}

const UNPACKED: Marked<PackedRefs> = { mark: null, value: NO_PACKED_REFS };

/**
 * Reads refs from the files of git. Reads loose files before `packed-refs`: packing writes `packed-refs` first,
 * so a ref is always found in one of the two. Every answer reflects the current files, also when another process
 * has changed them; cached values are used while the marks of the files are the same.
 */
export class RefFiles {
  constructor(private readonly location: RepositoryLocation) {}

  /** Returns the object a ref points at, and follows symbolic refs; null when there is none. */
  async resolve(name: string): Promise<Oid | null> {
    let current = name;
    for (let depth = 0; depth <= MAX_SYMBOLIC_DEPTH; depth += 1) {
      const loose = this.loose(current);
      if (loose && 'oid' in loose) return loose.oid;
      if (!loose) return (await this.packed()).value.targets.get(current) ?? null;
      current = loose.symbolic;
    }
    return null;
  }

  /** Returns the ref that HEAD points at; null when HEAD is detached or unreadable. */
  head(): string | null {
    const value = this.loose('HEAD');
    return value && 'symbolic' in value ? value.symbolic : null;
  }

  /** Returns the content of the file of a ref, null without a file. */
  loose(name: string): RefValue | null {
    const path = join(this.location.path, name);
    const mark = FileMark.read(path);
    if (mark === null || mark.isFolder) return null;
    const cache = this.location.runtime.shared(LOOSE_REFS);
    const known = cache.get(path, (cached) => cached.mark?.equals(mark) === true);
    if (known !== undefined) return known.value;
    const value = readLooseRef(path);
    if (mark.isSettled) cache.set(path, { mark, value }, MARK_BYTES);
    return value;
  }

  /** Returns the content of `packed-refs`. */
  async packed(): Promise<Marked<PackedRefs>> {
    const path = join(this.location.path, 'packed-refs');
    const mark = FileMark.read(path);
    if (mark === null) return UNPACKED;
    const cache = this.location.runtime.shared(PACKED_REFS);
    const known = cache.get(path, (cached) => cached.mark?.equals(mark) === true);
    if (known !== undefined) return known;
    const value = await readPackedRefs(path);
    const read = { mark, value };
    if (mark.isSettled) cache.set(path, read, mark.size * 4 + MARK_BYTES);
    return read;
  }
}

function readLooseRef(path: string): RefValue | null {
  try {
    return parseLooseRef(readFileSync(path, 'utf8'));
  } catch (error) {
    if (isAbsent(error) || errorCode(error) === 'EISDIR') return null;
    throw error;
  }
}

async function readPackedRefs(path: string): Promise<PackedRefs> {
  try {
    return parsePackedRefs(await readFile(path, 'utf8'));
  } catch (error) {
    if (isAbsent(error)) return NO_PACKED_REFS;
    throw error;
  }
}

/** Parses the file of a ref. Returns null for a broken one. */
export function parseLooseRef(text: string): RefValue | null {
  const symbolic = /^ref:\s*(\S+)\s*$/.exec(text)?.[1];
  if (symbolic !== undefined) return isValidRefName(symbolic) ? { symbolic } : null;
  const oid = text.slice(0, 40);
  return isOid(oid) && (text.length === 40 || /\s/.test(text[40] ?? '')) ? { oid } : null;
}
