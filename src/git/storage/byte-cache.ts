/** A least-recently-used cache of immutable values, limited by their total size. */
export class ByteCache<V> {
  private readonly entries = new Map<string, { value: V; weight: number }>();
  private total = 0;

  constructor(private readonly maxBytes: number) {}

  get(key: string): V | undefined {
    const entry = this.entries.get(key);
    if (!entry) return undefined;
    this.entries.delete(key);
    this.entries.set(key, entry);
    return entry.value;
  }

  /** @param bytes estimated size of the value; a value above a quarter of the limit is not cached */
  set(key: string, value: V, bytes: number): void {
    this.delete(key);
    const weight = bytes + key.length * 2 + 100;
    if (weight > this.maxBytes / 4) return;
    this.entries.set(key, { value, weight });
    this.total += weight;
    for (const [oldest] of this.entries) {
      if (this.total <= this.maxBytes) break;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    const entry = this.entries.get(key);
    if (!entry) return;
    this.entries.delete(key);
    this.total -= entry.weight;
  }

  get bytes(): number {
    return this.total;
  }
}
