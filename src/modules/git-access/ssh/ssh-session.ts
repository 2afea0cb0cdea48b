import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { Writable } from 'node:stream';
import type { Logger } from 'pino';
import type { Connection, ServerChannel, Session } from 'ssh2';
import type { SshCommandRunner } from './ssh-command-runner.js';

/** The connection that a session belongs to. */
interface SessionHost {
  line: Line;
  /** The public key that the client authenticated with. */
  key: Buffer;
  commands: SshCommandRunner;
  logger: Logger;
  isStopping: () => boolean;
  /** A command begins. */
  begun: (channel: ServerChannel) => void;
  /** A command has ended, and its exit code was sent. */
  ended: (channel: ServerChannel) => void;
  /** The client has closed the session. `used` says whether it had a command. */
  closed: (used: boolean) => void;
}

/** Longer than the value of any version of git. */
const MAX_PROTOCOL_LENGTH = 256;

/** Undefined when the client wants no reply. */
type Reply = (() => void) | undefined;

/** A session of a connection: accepts the variable `GIT_PROTOCOL`, and runs one command. */
export class SshSession {
  private readonly disconnected = new AbortController();
  private protocol: string | undefined;
  private used = false;

  constructor(
    session: Session,
    private readonly host: SessionHost,
  ) {
    session.on('env', (accept: Reply, reject: Reply, { key, val }) => {
      const isTaken = key === 'GIT_PROTOCOL' && val.length <= MAX_PROTOCOL_LENGTH;
      if (isTaken) this.protocol = val;
      (isTaken ? accept : reject)?.();
    });
    session.on('shell', (accept) => this.start(accept, null));
    session.on('exec', (accept, _reject, { command }) => this.start(accept, command));
    const leave = (): void => this.disconnected.abort();
    host.line.socket.once('close', leave);
    session.once('close', () => {
      host.line.socket.off('close', leave);
      leave();
      host.closed(this.used);
    });
  }

  private start(accept: () => ServerChannel, command: string | null): void {
    if (this.used) return;
    this.used = true;
    this.run(accept(), command).catch((error: unknown) => {
      this.host.logger.error({ err: error }, 'An SSH session failed');
      this.host.line.socket.destroy();
    });
  }

  private async run(channel: ServerChannel, command: string | null): Promise<void> {
    const { commands, key, line, logger } = this.host;
    const { signal } = this.disconnected;
    this.host.begun(channel);
    for (const stream of [channel, channel.stderr]) stream.on('error', () => undefined);
    const output = new ChannelOutput(channel, line, signal);
    output.on('error', () => undefined);
    const { exitCode, text } = await commands.runCommand(
      {
        key,
        address: line.socket.remoteAddress ?? '',
        line: command,
        stopping: this.host.isStopping(),
        streams: { input: channel, output, signal, stateless: false, protocol: this.protocol },
      },
      logger,
    );
    await output.finish();
    if (text !== undefined) await writeError(channel, `${text}\n`, signal);
    if (!signal.aborted) {
      channel.exit(exitCode);
      channel.end();
    }
    channel.resume();
    this.host.ended(channel);
  }
}

/** Writes a text to standard error. Resolves when it is written, or the client has disconnected. */
async function writeError(
  channel: ServerChannel,
  text: string,
  disconnected: AbortSignal,
): Promise<void> {
  if (disconnected.aborted) return;
  await new Promise<void>((resolve) => {
    disconnected.addEventListener('abort', () => resolve(), { once: true });
    channel.stderr.write(text, () => resolve());
  });
}

/** The connection of a channel. */
interface Line {
  socket: Socket;
  client: Connection;
}

/**
 * Writes to a channel no faster than its client reads. The channel itself regards only the client's window,
 * which may be of any size, but not the buffer of the socket, nor that nothing is sent during a key exchange.
 */
export class ChannelOutput extends Writable {
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
