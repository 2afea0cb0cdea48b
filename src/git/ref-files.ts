import { open, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isOid, isValidRefName } from './names.js';
import { NO_PACKED_REFS, parsePackedRefs, type PackedRefs } from './packed-refs.js';
import { errorCode, isAbsent, type Place } from './room.js';
import type { Oid, Ref } from './types.js';

const MAX_SYMBOLIC_DEPTH = 5;

/** What a name runs into that is a folder, or longer than a file's can be. */
const NAMES_NO_FILE = new Set(['EISDIR', 'ENAMETOOLONG']);

type RefValue = { oid: Oid } | { symbolic: string };

/**
 * Reads refs as Git lays them down in files. Loose files are read before `packed-refs`: packing
 * writes the latter first, so a ref on its way is always seen in one of the two.
 */
export class RefFiles {
  constructor(private readonly place: Place) {}

  /** The object a ref points at, symbolic refs followed; null when there is none. */
  async resolve(name: string): Promise<Oid | null> {
    let current = name;
    for (let depth = 0; depth <= MAX_SYMBOLIC_DEPTH; depth += 1) {
      const loose = await this.loose(current);
      if (loose && 'oid' in loose) return loose.oid;
      if (!loose) return (await this.packed()).targets.get(current) ?? null;
      current = loose.symbolic;
    }
    return null;
  }

  /** The ref that HEAD stands for; null when HEAD names a commit or is unreadable. */
  async head(): Promise<string | null> {
    const value = await this.loose('HEAD');
    return value && 'symbolic' in value ? value.symbolic : null;
  }

  /** Refs below a prefix that ends with a slash, by name. */
  async list(prefix: string): Promise<Ref[]> {
    const loose = new Map<string, Oid>();
    await this.collectLoose(prefix, loose);
    const packed = await this.packed();
    const refs: Ref[] = [...loose].map(([name, target]) => ({ name, target }));
    for (const [name, target] of packed.targets) {
      if (name.startsWith(prefix) && !loose.has(name)) refs.push({ name, target });
    }
    return refs.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** The file `packed-refs`, parsed again only when it is another one. */
  async packed(): Promise<PackedRefs> {
    let file;
    try {
      file = await open(join(this.place.path, 'packed-refs'), 'r');
    } catch (error) {
      if (isAbsent(error)) return NO_PACKED_REFS;
      throw error;
    }
    try {
      const { dev, ino, size, mtimeNs } = await file.stat({ bigint: true });
      const cache = this.place.room.caches.packedRefs;
      const key = `${this.place.path}\0${dev}:${ino}:${size}:${mtimeNs}`;
      const known = cache.get(key);
      if (known) return known;
      const parsed = parsePackedRefs(await file.readFile('utf8'));
      cache.set(key, parsed, Number(size) * 4);
      return parsed;
    } finally {
      await file.close();
    }
  }

  private async loose(name: string): Promise<RefValue | null> {
    try {
      return parseLooseRef(await readFile(join(this.place.path, name), 'utf8'));
    } catch (error) {
      if (isAbsent(error) || NAMES_NO_FILE.has(errorCode(error) ?? '')) return null;
      throw error;
    }
  }

  private async collectLoose(prefix: string, into: Map<string, Oid>): Promise<void> {
    for (const entry of await this.entries(prefix)) {
      const name = prefix + entry.name;
      if (entry.isDirectory()) await this.collectLoose(`${name}/`, into);
      else if (isValidRefName(name)) {
        const target = await this.resolveLoose(name);
        if (target !== null) into.set(name, target);
      }
    }
  }

  private async resolveLoose(name: string): Promise<Oid | null> {
    const value = await this.loose(name);
    if (!value) return null;
    return 'oid' in value ? value.oid : this.resolve(value.symbolic);
  }

  private async entries(prefix: string) {
    try {
      return await readdir(join(this.place.path, prefix), { withFileTypes: true });
    } catch (error) {
      if (isAbsent(error)) return [];
      throw error;
    }
  }
}

/** Null for what Git would call broken. */
export function parseLooseRef(text: string): RefValue | null {
  const symbolic = /^ref:\s*(\S+)\s*$/.exec(text)?.[1];
  if (symbolic !== undefined) return isValidRefName(symbolic) ? { symbolic } : null;
  const oid = text.slice(0, 40);
  return isOid(oid) && (text.length === 40 || /\s/.test(text[40] ?? '')) ? { oid } : null;
}
