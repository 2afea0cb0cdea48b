import { pipeline, type Readable, Transform, type TransformCallback } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Request } from 'express';
import { MAX_INFLATED_BYTES } from '../../platform/limits/index.js';
import { TransportRefusal } from './transport-refusal.js';

/**
 * The bytes that git sent, inflated where it compressed them (it does so with large requests).
 * Nothing is collected: what git does not read is not read from the connection either.
 */
export function bodyOf(request: Request): Readable {
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding === 'identity') return request;
  if (encoding !== 'gzip' && encoding !== 'x-gzip') {
    throw new TransportRefusal(415, 'Unsupported content encoding');
  }
  const inflated = new BoundedBytes(MAX_INFLATED_BYTES);
  // A failure of either end destroys all; whoever reads the result learns of it there.
  pipeline(request, createGunzip(), inflated, () => undefined);
  return inflated;
}

/** Passes on a number of bytes and fails at the next: a small body inflates to a thousand times its size. */
class BoundedBytes extends Transform {
  constructor(private left: number) {
    super();
  }

  override _transform(chunk: Buffer, _: BufferEncoding, callback: TransformCallback): void {
    this.left -= chunk.length;
    if (this.left < 0) callback(new TransportRefusal(413, 'Request Entity Too Large'));
    else callback(null, chunk);
  }
}
