import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Request } from 'express';
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
  const inflated = createGunzip();
  // A failure of either end destroys both; whoever reads the result learns of it there.
  pipeline(request, inflated, () => undefined);
  return inflated;
}
