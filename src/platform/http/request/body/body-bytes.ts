import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { Transform, type TransformCallback } from 'node:stream';
import { ClientDisconnectedError, tooLarge, tooSlow } from '../../../errors/index.js';
import type { BodyPace } from '../../../limits/index.js';

/** Whether a request announces a body; one that turns out empty may still follow. */
export function hasBody(request: IncomingMessage): boolean {
  return (
    request.headers['transfer-encoding'] !== undefined ||
    Number(request.headers['content-length'] ?? 0) > 0
  );
}

/** The announced length in bytes, undefined for a body that is sent in chunks. */
export function announcedBytes(request: IncomingMessage): number | undefined {
  if (request.headers['transfer-encoding'] !== undefined) return undefined;
  return Number(request.headers['content-length'] ?? 0);
}

/**
 * Hands the chunks of a body to `take`.
 *
 * @throws ClientDisconnectedError when the connection ended early; `too-slow`; what `take` throws. The rest of the
 *   body then waits in the connection.
 */
export function readChunks(
  request: IncomingMessage,
  pace: BodyPace,
  take: (chunk: Buffer) => void,
): Promise<void> {
  // Listeners instead of `for await`, whose loop could not be left when the client is too slow.
  return new Promise((resolve, reject) => {
    if (request.readableEnded) {
      resolve();
      return;
    }
    if (request.destroyed) {
      reject(new ClientDisconnectedError());
      return;
    }
    const settle = (outcome: () => void): void => {
      watch.stop();
      request.off('data', onData).off('end', onEnd).off('close', onGone).off('error', onGone);
      request.pause();
      outcome();
    };
    const fail = (failure: unknown): void =>
      settle(() => reject(failure instanceof Error ? failure : new Error(String(failure))));
    const onData = (chunk: Buffer): void => {
      try {
        take(chunk);
      } catch (failure) {
        fail(failure);
      }
    };
    const onEnd = (): void => settle(resolve);
    const onGone = (): void => fail(new ClientDisconnectedError());
    const watch = new PaceWatch(request, pace, () => fail(tooSlow()));
    watch.start();
    request.on('data', onData).on('end', onEnd).on('close', onGone).on('error', onGone).resume();
  });
}

/** Calls back once when a body comes too slowly. */
export class PaceWatch {
  private window: NodeJS.Timeout | undefined;
  private deadline: NodeJS.Timeout | undefined;

  constructor(
    private readonly request: IncomingMessage,
    private readonly pace: BodyPace,
    private readonly onSlow: () => void,
  ) {}

  /** A body that is here already needs no watch. */
  start(): void {
    const { request, pace } = this;
    if (request.complete) return;
    const { socket } = request;
    let before = socket.bytesRead;
    this.deadline = setTimeout(() => this.fail(), pace.deadlineMs).unref();
    this.window = setInterval(() => {
      const { bytesRead } = socket;
      if (bytesRead - before < pace.bytes) this.fail();
      before = bytesRead;
    }, pace.windowMs).unref();
  }

  stop(): void {
    clearInterval(this.window);
    clearTimeout(this.deadline);
  }

  private fail(): void {
    if (this.request.complete) return;
    this.stop();
    this.onSlow();
  }
}

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

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** The text of a body without a byte order mark; undefined for bytes that are no UTF-8. */
export function utf8Text(bytes: Buffer): string | undefined {
  if (!isUtf8(bytes)) return undefined;
  const isMarked = bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
  return bytes.toString('utf8', isMarked ? BYTE_ORDER_MARK.length : 0);
}
