import type { IncomingMessage } from 'node:http';
import { tooLarge } from '../../errors/index.js';
import { MAX_DISCARDED_BYTES } from './limits.js';

/** The client went away before its request was complete; there is nobody left to answer. */
export class ClientGone extends Error {}

/** Whether a request announces a body; one that turns out empty may still follow. */
export function hasBody(request: IncomingMessage): boolean {
  return (
    request.headers['transfer-encoding'] !== undefined ||
    Number(request.headers['content-length'] ?? 0) > 0
  );
}

/**
 * The whole body.
 *
 * @param limit in bytes
 * @throws DomainError `too-large` beyond the limit; ClientGone when the connection ended early
 */
export async function bodyBytes(request: IncomingMessage, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge();
  await consume(request, (chunk) => {
    size += chunk.length;
    if (size > limit) return tooLarge();
    chunks.push(chunk);
    return undefined;
  });
  return Buffer.concat(chunks, size);
}

/** Reads what is left of a body and drops it, up to a limit; never fails. */
export async function discardRest(request: IncomingMessage): Promise<void> {
  let size = 0;
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > MAX_DISCARDED_BYTES || request.complete) return;
  await consume(request, (chunk) => {
    size += chunk.length;
    return size > MAX_DISCARDED_BYTES ? tooLarge() : undefined;
  }).catch(() => undefined);
}

// Listeners instead of `for await`: leaving such a loop would destroy the connection.
function consume(
  request: IncomingMessage,
  take: (chunk: Buffer) => Error | undefined,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (outcome: () => void): void => {
      request.off('data', onData).off('end', onEnd).off('close', onGone).off('error', onGone);
      outcome();
    };
    const onData = (chunk: Buffer): void => {
      const failure = take(chunk);
      if (!failure) return;
      request.pause();
      settle(() => reject(failure));
    };
    const onEnd = (): void => settle(resolve);
    const onGone = (): void => settle(() => reject(new ClientGone()));
    if (request.readableEnded) return resolve();
    if (request.destroyed) return reject(new ClientGone());
    request.on('data', onData).on('end', onEnd).on('close', onGone).on('error', onGone).resume();
  });
}
