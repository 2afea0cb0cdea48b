import { Transform, type TransformCallback } from 'node:stream';
import { tooLarge } from '../../../errors/index.js';

/** Passes bytes on and fails with `too-large` beyond a limit in bytes. */
export class ByteLimit extends Transform {
  /** How many bytes came so far. */
  bytes = 0;

  constructor(private readonly limit: number) {
    super();
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.bytes += chunk.length;
    if (this.bytes > this.limit) done(tooLarge());
    else done(null, chunk);
  }
}
