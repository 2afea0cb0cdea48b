import { finished, pipeline, Readable, Transform, type TransformCallback } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import type { Request } from 'express';
import { GrowingBuffer } from '../../../platform/collections/index.js';
import { GIT_REQUEST_MS, MAX_INFLATED_BYTES } from '../../../platform/limits/index.js';
import { GitHttpRefusal } from './git-http.filter.js';

/** Fetch requests are smaller, except for histories of thousands of branches; bytes. */
const BEGINNING_BYTES = 64 * 1024;
const CLOSE = { Connection: 'close' };

/**
 * Returns the body of a request, inflated if git compressed it, which it does with large requests. The stream
 * has backpressure: what git does not read is not read from the connection.
 */
export function bodyOf(request: Request): Readable {
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding === 'identity') return request;
  if (encoding !== 'gzip' && encoding !== 'x-gzip') {
    throw new GitHttpRefusal(415, 'Unsupported content encoding');
  }
  const [gunzip, inflated] = [createGunzip(), new BoundedBytes(MAX_INFLATED_BYTES)];
  // A failure of one of these destroys the other; the reader of the result gets the error.
  pipeline(gunzip, inflated, () => undefined);
  // The request stays, so that the rest of a broken body is discarded and its sender sees the answer.
  request.pipe(gunzip);
  finished(request, { writable: false }, (error) => {
    if (error) gunzip.destroy(error);
  });
  return inflated;
}

/** Fails after a number of bytes, since a small body can inflate to a thousand times its size. */
class BoundedBytes extends Transform {
  constructor(private left: number) {
    super();
  }

  override _transform(chunk: Buffer, _: BufferEncoding, callback: TransformCallback): void {
    this.left -= chunk.length;
    if (this.left < 0) callback(new GitHttpRefusal(413, 'Request Entity Too Large'));
    else callback(null, chunk);
  }
}

/**
 * Waits for the beginning of a body, so that a slow client does not hold a process of git meanwhile.
 * @param isWhole whether to wait for all of the body, or for 64 KiB
 * @returns the stream to read in place of the body
 * @throws GitHttpRefusal for a client that sends too slowly or has disconnected
 */
export async function awaitBody(input: Readable, isWhole: boolean): Promise<Readable> {
  const settled = new AbortController();
  const beginning = new GrowingBuffer();
  const read = async (): Promise<boolean> => {
    for await (const chunk of input.iterator({ destroyOnReturn: false })) {
      beginning.add(chunk as Buffer);
      if (settled.signal.aborted || !isWhole || beginning.length >= BEGINNING_BYTES) return false;
    }
    return true;
  };
  const limit = delay(GIT_REQUEST_MS, 'late' as const, { signal: settled.signal });
  try {
    const isEnd = await Promise.race([read(), limit]);
    if (isEnd === 'late') throw new GitHttpRefusal(408, 'Request Timeout', CLOSE);
    if (isEnd) return Readable.from(beginning.length > 0 ? [beginning.bytes] : []);
    input.unshift(beginning.bytes);
    return input;
  } catch (error) {
    if (error instanceof GitHttpRefusal) throw error;
    throw new GitHttpRefusal(400, 'Bad Request', CLOSE);
  } finally {
    limit.catch(() => undefined);
    settled.abort();
  }
}
