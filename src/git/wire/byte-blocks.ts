const LEAST = 4 * 1024;
const MOST = 64 * 1024;

/** Keeps bytes in blocks of up to 64 KiB. A piece that is kept by itself takes some hundred bytes more than it has. */
export class ByteBlocks {
  /** How many bytes were added. */
  size = 0;
  private readonly full: Buffer[] = [];
  private block = Buffer.alloc(0);
  private end = 0;

  /** Adds a copy of the bytes. */
  add(bytes: Buffer): void {
    for (let at = 0; at < bytes.length;) {
      if (this.end === this.block.length) this.begin();
      const copied = bytes.copy(this.block, this.end, at);
      this.end += copied;
      at += copied;
    }
    this.size += bytes.length;
  }

  /** Returns the bytes in their order. */
  blocks(): Buffer[] {
    return [...this.full, this.block.subarray(0, this.end)].filter(({ length }) => length > 0);
  }

  private begin(): void {
    if (this.end > 0) this.full.push(this.block);
    this.block = Buffer.allocUnsafeSlow(Math.min(MOST, Math.max(LEAST, this.size)));
    this.end = 0;
  }
}
