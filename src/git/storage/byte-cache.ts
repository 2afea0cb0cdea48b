import { LRUCache } from 'lru-cache';

/** An estimate of the memory for an entry beside its key and value. */
const ENTRY_BYTES = 100;

/** How often a cache had what was asked for, since the process started. */
interface CacheLookups {
  hits: number;
  misses: number;
}

const lookups = new Map<string, CacheLookups>();

/** Of all caches of the process, by name. */
export const cacheLookups: ReadonlyMap<string, Readonly<CacheLookups>> = lookups;

/** A least-recently-used cache of immutable values, limited by the sum of their estimated sizes. */
export class ByteCache<V> {
  private readonly entries: LRUCache<string, { readonly value: V }>;
  private readonly lookups: CacheLookups;

  /** @param name in metrics, where caches of the same name are counted together */
  constructor(name: string, maxBytes: number) {
    const maxEntrySize = Math.floor(maxBytes / 4);
    this.entries = new LRUCache({ maxSize: maxBytes, maxEntrySize });
    this.lookups = lookups.get(name) ?? { hits: 0, misses: 0 };
    lookups.set(name, this.lookups);
  }

  get(key: string): V | undefined {
    const value = this.peek(key);
    this.count(value !== undefined);
    return value;
  }

  /** Returns what is there, which the caller may find outdated, and does not count the lookup. */
  peek(key: string): V | undefined {
    return this.entries.get(key)?.value;
  }

  /** Counts a lookup by `peek`. */
  count(isHit: boolean): void {
    if (isHit) this.lookups.hits += 1;
    else this.lookups.misses += 1;
  }

  /** @param bytes estimated size of the value; a value above a quarter of the limit is not cached */
  set(key: string, value: V, bytes: number): void {
    this.entries.set(key, { value }, { size: bytes + key.length * 2 + ENTRY_BYTES });
  }

  /** The sum of the estimated sizes. */
  get bytes(): number {
    return this.entries.calculatedSize;
  }
}
