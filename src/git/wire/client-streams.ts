import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Duplex, finished, type Readable, type Writable } from 'node:stream';
import type { ClientRate } from '../process/runtime.js';

const LONGEST_STEP_MS = 1_000;

export interface ClientOutput {
  /** The stream to the client, which is not closed at the end. */
  output: Writable;
  /** Aborted when the client has disconnected. */
  signal?: AbortSignal | undefined;
}

export interface ClientStreams extends ClientOutput {
  /** The stream from the client. */
  input: Readable;
}

/**
 * Pipes the bytes of a client to git. If git stops reading, the rest is read and discarded, so that the answer can
 * still be delivered on the same connection.
 * @param gate what the bytes pass through
 */
export function feed(input: Readable, stdin: Writable, gate?: Duplex): void {
  const entrance = gate ?? stdin;
  stdin.on('error', () => {
    input.unpipe(entrance);
    input.resume();
  });
  input.pipe(entrance);
  gate?.pipe(stdin);
}

/**
 * Prevents unhandled errors of a broken connection. Has to be called before anything is awaited.
 * {@link onClientDisconnect} reports the disconnect.
 */
export function expectErrors(client: ClientOutput & { input?: Readable }): void {
  const ignore = (): void => undefined;
  client.output.on('error', ignore);
  client.input?.on('error', ignore);
}

/** Calls back once when a client disconnects. Returns the function that stops watching. */
export function onClientDisconnect(
  client: ClientOutput & { input?: Readable },
  gone: () => void,
): () => void {
  const { input, output, signal } = client;
  let stopped = false;
  const onGone = (): void => {
    if (stopped) return;
    stop();
    gone();
  };
  const stopInput =
    input &&
    finished(input, { writable: false }, (error) => {
      if (error) onGone();
    });
  output.once('close', onGone);
  signal?.addEventListener('abort', onGone, { once: true });
  const stop = (): void => {
    stopped = true;
    stopInput?.();
    output.off('close', onGone);
    signal?.removeEventListener('abort', onGone);
  };
  if (signal?.aborted || output.destroyed || (input?.destroyed && !input.readableEnded)) onGone();
  return stop;
}

/**
 * Writes to a client with back-pressure until `released` is aborted. Does nothing when the client has
 * disconnected.
 * @param ahead how much the client need not have taken, bytes
 */
export async function deliver(
  output: Writable,
  bytes: Buffer,
  released: AbortSignal,
  ahead = 0,
): Promise<void> {
  if (output.destroyed || output.writableEnded || bytes.length === 0) return;
  if (output.write(bytes) || output.writableLength <= ahead || released.aborted) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      output.off('drain', done);
      output.off('close', done);
      released.removeEventListener('abort', done);
      resolve();
    };
    output.once('drain', done);
    output.once('close', done);
    released.addEventListener('abort', done, { once: true });
  });
}

/** Writes parts to a client, each when the one before has been taken, and in a turn of its own. */
export async function deliverParts(
  output: Writable,
  parts: Iterable<Buffer>,
  released: AbortSignal,
): Promise<void> {
  for (const part of parts) {
    await deliver(output, part, released);
    await nextTurn();
  }
}

/**
 * Enforces the least rate of a client. The client falls behind while git waits for it, and catches up with each
 * byte that is sent or taken. Time in which the client waits for git does not count.
 */
export class ClientPace {
  private behindMs = 0;
  private movedBytes = 0;
  private readonly timer: NodeJS.Timeout;

  /**
   * @param isAwaited returns whether git waits for the client
   * @param onSlow called once when the client has fallen behind too far
   */
  constructor(
    private readonly rate: ClientRate,
    private readonly isAwaited: () => boolean,
    private readonly onSlow: () => void,
  ) {
    const stepMs = Math.min(LONGEST_STEP_MS, rate.patienceMs / 10);
    this.timer = setInterval(() => this.check(stepMs), stepMs).unref();
  }

  /** Records bytes that the client has sent or taken. */
  moved(bytes: number): void {
    this.movedBytes += bytes;
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private check(stepMs: number): void {
    const { bytesPerSecond, patienceMs } = this.rate;
    const dueMs = this.isAwaited() ? stepMs : 0;
    const paidMs = (this.movedBytes / bytesPerSecond) * 1_000;
    this.behindMs = Math.max(0, this.behindMs + dueMs - paidMs);
    this.movedBytes = 0;
    if (this.behindMs <= patienceMs) return;
    this.stop();
    this.onSlow();
  }
}
