import { finished, type Readable, type Writable } from 'node:stream';

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
 */
export function feed(input: Readable, stdin: Writable): void {
  stdin.on('error', () => {
    input.unpipe(stdin);
    input.resume();
  });
  input.pipe(stdin);
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
