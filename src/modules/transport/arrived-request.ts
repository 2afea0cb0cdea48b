import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { GIT_REQUEST_MS } from '../../platform/limits/index.js';
import { TransportRefusal } from './transport-refusal.js';

/** What a client wants of a fetch is said in less, but for histories of thousands of branches; bytes. */
const ENOUGH_BYTES = 64 * 1024;

/**
 * A request whose beginning has arrived: until then it holds no process.
 * @param isWhole whether to wait for all of it, or for 64 KiB
 * @returns what is to be read in its place
 * @throws TransportRefusal for a client that sends too slowly, or that has gone
 */
export async function arrivedRequest(input: Readable, isWhole: boolean): Promise<Readable> {
  const tooLate = new AbortController();
  const chunks: Buffer[] = [];
  const read = async (): Promise<boolean> => {
    let size = 0;
    for await (const chunk of input.iterator({ destroyOnReturn: false })) {
      chunks.push(chunk as Buffer);
      size += (chunk as Buffer).length;
      if (tooLate.signal.aborted || !isWhole || size >= ENOUGH_BYTES) return false;
    }
    return true;
  };
  const limit = delay(GIT_REQUEST_MS, 'late' as const, { signal: tooLate.signal });
  try {
    const isEnd = await Promise.race([read(), limit]);
    if (isEnd === 'late') throw new TransportRefusal(408, 'Request Timeout', CLOSE);
    const beginning = Buffer.concat(chunks);
    if (isEnd) return Readable.from(beginning.length > 0 ? [beginning] : []);
    input.unshift(beginning);
    return input;
  } catch (error) {
    if (error instanceof TransportRefusal) throw error;
    throw new TransportRefusal(400, 'Bad Request', CLOSE);
  } finally {
    limit.catch(() => undefined);
    tooLate.abort();
  }
}

const CLOSE = { Connection: 'close' };
