import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { Writable } from 'node:stream';
import type { Connection, ServerChannel } from 'ssh2';

/** The connection of a channel. */
export interface Line {
  socket: Socket;
  client: Connection;
}

/**
 * Writes to a channel no faster than its client reads. The channel itself regards only the client's window,
 * which may be of any size, but not the buffer of the socket, nor that nothing is sent during a key exchange.
 */
export class ChannelOutput extends Writable {
  /** Whether anything was written. */
  begun = false;
  private stopWaiting: (() => void) | undefined;

  constructor(
    private readonly channel: ServerChannel,
    private readonly line: Line,
    disconnected: AbortSignal,
  ) {
    super();
    disconnected.addEventListener('abort', () => this.destroy(), { once: true });
    if (disconnected.aborted) this.destroy();
  }

  /** Resolves when all output is written, or the client has disconnected. */
  async finish(): Promise<void> {
    if (this.closed) return;
    await new Promise<void>((resolve) => {
      this.once('close', () => resolve());
      this.end();
    });
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    const { client, socket } = this.line;
    const before = socket.bytesWritten;
    this.begun = true;
    this.channel.write(chunk, () => {
      if (this.destroyed) return;
      if (socket.bytesWritten === before) this.waitFor(client, 'rekey', done);
      else if (socket.writableNeedDrain) this.waitFor(socket, 'drain', done);
      else done();
    });
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this.stopWaiting?.();
    callback(error);
  }

  private waitFor(emitter: EventEmitter, event: string, done: () => void): void {
    emitter.once(event, done);
    this.stopWaiting = () => emitter.off(event, done);
  }
}
