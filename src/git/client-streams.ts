import { finished, type Readable, type Writable } from 'node:stream';

export interface ClientOutput {
  /** What the client gets; it is left open at the end. */
  output: Writable;
  /** Aborted when the client has gone. */
  signal?: AbortSignal | undefined;
}

export interface ClientStreams extends ClientOutput {
  /** What the client sends. */
  input: Readable;
}

/**
 * Passes a client's bytes to git. Should git stop reading, the rest is read and dropped, so that
 * the answer can still be delivered on the same connection.
 */
export function feed(input: Readable, stdin: Writable): void {
  stdin.on('error', () => {
    input.unpipe(stdin);
    input.resume();
  });
  input.pipe(stdin);
}

/**
 * Keeps the errors of a connection that breaks from going unhandled; to be called before anything
 * is waited for. What they mean is noticed by {@link whenClientGone}.
 */
export function expectErrors(client: ClientOutput & { input?: Readable }): void {
  const ignore = (): void => undefined;
  client.output.on('error', ignore);
  client.input?.on('error', ignore);
}

/** Calls back once when nothing has moved for some time; `touch` says that something has. */
export class IdleLimit {
  private readonly timer: NodeJS.Timeout;

  constructor(limitMs: number, onIdle: () => void) {
    this.timer = setTimeout(onIdle, limitMs).unref();
  }

  readonly touch = (): void => {
    this.timer.refresh();
  };

  stop(): void {
    clearTimeout(this.timer);
  }
}

/** Calls back once when a client breaks off; returns the function that stops watching. */
export function whenClientGone(
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
 * Writes with back-pressure, which a release ends. What a client that has gone would have got is
 * dropped.
 */
export async function deliver(
  output: Writable,
  bytes: Buffer,
  released: AbortSignal,
): Promise<void> {
  if (output.destroyed || output.writableEnded || bytes.length === 0) return;
  if (output.write(bytes) || released.aborted) return;
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
