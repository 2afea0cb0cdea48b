import { Transform, type TransformCallback } from 'node:stream';
import { BLOCK_BYTES, Bzip2Worker } from './bzip2-worker.js';

/** All archives share one thread, so that they cannot take the machine from everything else. */
const compressor = new Bzip2Worker();

/**
 * Compresses to bzip2, one complete stream for each block: readers of the format take any number of
 * them one behind the other.
 */
export class Bzip2Stream extends Transform {
  private pending: Buffer[] = [];
  private pendingBytes = 0;

  override _transform(chunk: Buffer, _: BufferEncoding, callback: TransformCallback): void {
    this.pending.push(chunk);
    this.pendingBytes += chunk.length;
    if (this.pendingBytes < BLOCK_BYTES) callback();
    else this.compress().then(() => callback(), callback);
  }

  override _flush(callback: TransformCallback): void {
    this.compress().then(() => callback(), callback);
  }

  private async compress(): Promise<void> {
    const data = Buffer.concat(this.pending);
    this.pending = [];
    this.pendingBytes = 0;
    for (let at = 0; at < data.length; at += BLOCK_BYTES) {
      this.push(await compressor.compress(data.subarray(at, at + BLOCK_BYTES)));
    }
  }
}
