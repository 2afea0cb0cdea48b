import { LRUCache } from 'lru-cache';

/** An estimate of the memory for an entry beside its key and value. */
const ENTRY_BYTES = 100;

/** A least-recently-used cache of immutable values, limited by the sum of their estimated sizes. */
export class ByteCache<V> {
  private readonly entries: LRUCache<string, { readonly value: V }>;

  constructor(maxBytes: number) {
    const maxEntrySize = Math.floor(maxBytes / 4);
    this.entries = new LRUCache({ maxSize: maxBytes, maxEntrySize });
  }

  get(key: string): V | undefined {
    return this.entries.get(key)?.value;
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
