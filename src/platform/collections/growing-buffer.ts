/**
 * Bytes that come in pieces. They are copied, since each piece that is kept takes hundreds of bytes besides its own, also
 * one of a single byte.
 */
export class GrowingBuffer {
  length = 0;
  private block: Buffer = Buffer.alloc(0);

  /** @param expected how many bytes are likely to come */
  constructor(private readonly expected = 0) {}

  add(piece: Uint8Array): void {
    const length = this.length + piece.length;
    if (length > this.block.length) this.grow(length);
    this.block.set(piece, this.length);
    this.length = length;
  }

  /** Those so far, not a copy. */
  get bytes(): Buffer {
    return this.block.subarray(0, this.length);
  }

  private grow(least: number): void {
    const size = Math.max(least, this.expected, 2 * this.block.length);
    const grown = Buffer.allocUnsafeSlow(size);
    grown.set(this.bytes);
    this.block = grown;
  }
}
