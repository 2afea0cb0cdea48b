import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode, isAbsent } from './file-errors.js';
import { FileMark, MARK_BYTES } from './file-mark.js';
import { isOid, isValidRefName } from './names.js';
import { NO_PACKED_REFS, parsePackedRefs, type PackedRefs } from './packed-refs.js';
import type { RepositoryLocation } from './runtime.js';
import type { Oid } from './types.js';

const MAX_SYMBOLIC_DEPTH = 5;

export type RefValue = { oid: Oid } | { symbolic: string };

/** What was read, and the look that was taken before; a value is good as long as the look is the same. */
export interface Marked<T> {
  mark: FileMark | null;
  value: T;
}

const UNPACKED: Marked<PackedRefs> = { mark: null, value: NO_PACKED_REFS };

/**
 * Reads refs as Git lays them down in files. Loose files are read before `packed-refs`: packing
 * writes the latter first, so a ref on its way is always seen in one of the two. Each question is
 * answered by what is there at that moment, whoever wrote it; what was read before is used when a look
 * shows that the file is the same.
 */
export class RefFiles {
  constructor(private readonly location: RepositoryLocation) {}

  /** The object a ref points at, symbolic refs followed; null when there is none. */
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

  /** The ref that HEAD stands for; null when HEAD names a commit or is unreadable. */
  head(): string | null {
    const value = this.loose('HEAD');
    return value && 'symbolic' in value ? value.symbolic : null;
  }

  /** What the file of a ref says, null without one. */
  loose(name: string): RefValue | null {
    const path = join(this.location.path, name);
    const mark = FileMark.of(path);
    if (mark === null || mark.isFolder) return null;
    const cache = this.location.runtime.caches.looseRefs;
    const known = cache.get(path);
    if (known?.mark?.equals(mark) === true) return known.value;
    const value = readLooseRef(path);
    if (mark.isSettled) cache.set(path, { mark, value }, MARK_BYTES);
    return value;
  }

  /** What the file `packed-refs` says. */
  async packed(): Promise<Marked<PackedRefs>> {
    const path = join(this.location.path, 'packed-refs');
    const mark = FileMark.of(path);
    if (mark === null) return UNPACKED;
    const cache = this.location.runtime.caches.packedRefs;
    const known = cache.get(path);
    if (known?.mark?.equals(mark) === true) return known;
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

/** Null for what Git would call broken. */
export function parseLooseRef(text: string): RefValue | null {
  const symbolic = /^ref:\s*(\S+)\s*$/.exec(text)?.[1];
  if (symbolic !== undefined) return isValidRefName(symbolic) ? { symbolic } : null;
  const oid = text.slice(0, 40);
  return isOid(oid) && (text.length === 40 || /\s/.test(text[40] ?? '')) ? { oid } : null;
}
