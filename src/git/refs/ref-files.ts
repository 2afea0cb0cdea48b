import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MIB } from '../model/bytes.js';
import { isOid, isValidRefName } from '../model/names.js';
import type { Oid } from '../model/types.js';
import { SharedState } from '../process/runtime.js';
import { ByteCache } from '../storage/byte-cache.js';
import { FileMark, MARK_BYTES, sameMark } from '../storage/file-mark.js';
import { errorCode, isAbsent } from '../storage/files.js';
import type { RepositoryLocation } from '../storage/repository-location.js';
import type { Snapshot } from '../storage/repository-view.js';
import { NO_PACKED_REFS, type PackedRefs, parsePackedRefs } from './packed-refs.js';

/** By path, the values of loose refs. */
const LOOSE_REFS = new SharedState(
  () => new ByteCache<ReadFile<RefValue | null>>('loose_refs', 4 * MIB),
);
/** By path, the contents of `packed-refs`. */
const PACKED_REFS = new SharedState(
  () => new ByteCache<ReadFile<PackedRefs>>('packed_refs', 16 * MIB),
);

const MAX_SYMBOLIC_DEPTH = 5;

export type RefValue = { oid: Oid } | { symbolic: string };

/** What was read, and as long as what it holds. */
export interface Validity {
  /** Valid without another look in the same snapshot. */
  snapshot: Snapshot | undefined;
  /** Marks that were taken in an earlier epoch prove nothing. */
  readonly epoch: number;
}

/** The content of a file with its mark before it was read; null without a file. */
interface ReadFile<T> extends Validity {
  readonly mark: FileMark | null;
  readonly value: T;
  /** When the latest look at the file began and ended, in milliseconds of `performance.now`. */
  begun: number;
  ended: number;
}

/**
 * Reads refs from the files of git. Reads loose files before `packed-refs`: packing writes `packed-refs` first,
 * so a ref is always found in one of the two. What was read is used again within a snapshot; without one, every answer
 * reflects the current files, also when another process has changed them.
 */
export class RefFiles {
  constructor(private readonly location: RepositoryLocation) {}

  /** Returns the object a ref points at, and follows symbolic refs; null when there is none. */
  async resolve(name: string): Promise<Oid | null> {
    let current = name;
    for (let depth = 0; depth <= MAX_SYMBOLIC_DEPTH; depth += 1) {
      const { value: loose, ended } = await this.readLoose(current);
      if (loose && 'oid' in loose) return loose.oid;
      if (!loose) return (await this.packed(ended)).value.targets.get(current) ?? null;
      current = loose.symbolic;
    }
    return null;
  }

  /** Returns the ref that HEAD points at; null when HEAD is detached or unreadable. */
  async head(): Promise<string | null> {
    const value = await this.loose('HEAD');
    return value && 'symbolic' in value ? value.symbolic : null;
  }

  /** Returns the content of the file of a ref, null without a file. */
  async loose(name: string): Promise<RefValue | null> {
    return (await this.readLoose(name)).value;
  }

  /**
   * Returns the content of `packed-refs`.
   * @param after the moment at which loose files were read that it has to complement
   */
  packed(after = 0): Promise<ReadFile<PackedRefs>> {
    const cache = this.location.runtime.shared(PACKED_REFS);
    const path = join(this.location.path, 'packed-refs');
    return this.read(cache, path, readPackedRefs, { absent: NO_PACKED_REFS, factor: 4, after });
  }

  private readLoose(name: string): Promise<ReadFile<RefValue | null>> {
    const cache = this.location.runtime.shared(LOOSE_REFS);
    const path = join(this.location.path, name);
    return this.read(cache, path, readLooseRef, { absent: null, factor: 0, after: 0 });
  }

  /**
   * @param factor how many bytes of memory a byte of the file takes
   * @param after the moment since which the file has to have been looked at
   */
  private async read<T>(
    cache: ByteCache<ReadFile<T>>,
    path: string,
    readAnew: (path: string) => Promise<T>,
    { absent, factor, after }: { absent: T; factor: number; after: number },
  ): Promise<ReadFile<T>> {
    const { snapshot, view } = this.location;
    const { epoch } = view;
    const known = cache.peek(path);
    if (snapshot !== undefined && known?.snapshot === snapshot && known.begun > after) {
      cache.count(true);
      return known;
    }
    let begun = 0;
    const { mark, value } = await this.location.look(async () => {
      begun = performance.now();
      const current = await FileMark.read(path);
      if (current === null || current.isFolder) return { mark: null, value: absent };
      const isUsable = known?.epoch === epoch && known.mark?.isSettled === true;
      if (isUsable && sameMark(known.mark, current)) {
        // Another machine may have packed the loose ref a moment ago, while the kernel here has the mark of the former file.
        if (after === 0 || sameMark(known.mark, await FileMark.readOpened(path))) return known;
      }
      return { mark: current, value: await readAnew(path) };
    });
    cache.count(known !== undefined && value === known.value);
    const found = { mark, value, snapshot, epoch, begun, ended: performance.now() };
    if (snapshot !== undefined || mark?.isSettled === true) {
      cache.set(path, found, (mark?.size ?? 0) * factor + MARK_BYTES);
    }
    return found;
  }
}

export async function readLooseRef(path: string): Promise<RefValue | null> {
  try {
    return parseLooseRef(await readFile(path, 'utf8'));
  } catch (error) {
    if (isAbsent(error) || errorCode(error) === 'EISDIR') return null;
    throw error;
  }
}

export async function readPackedRefs(path: string): Promise<PackedRefs> {
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
