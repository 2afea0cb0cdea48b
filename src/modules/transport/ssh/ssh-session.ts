import type { Logger } from 'pino';
import type { ServerChannel, Session } from 'ssh2';
import { ChannelOutput, type Line } from './channel-output.js';
import type { SshCommands } from './ssh-commands.js';

/** The connection that a session belongs to. */
export interface SessionHost {
  line: Line;
  /** The public key that let the client in. */
  key: Buffer;
  commands: SshCommands;
  logger: Logger;
  isStopping: () => boolean;
  /** A command begins. */
  begun: (channel: ServerChannel) => void;
  /** A command has ended, and its client was told how. */
  ended: (channel: ServerChannel) => void;
  /** The client has closed the session; `used` when it had a command. */
  closed: (used: boolean) => void;
}

/** More than any version of git sends. */
const MAX_PROTOCOL_LENGTH = 256;

/** Missing when the client wants none. */
type Reply = (() => void) | undefined;

/** One session of a connection: the only variable it takes is git's, and it runs one command. */
export class SshSession {
  private readonly gone = new AbortController();
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
    const leave = (): void => this.gone.abort();
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
    const { signal } = this.gone;
    this.host.begun(channel);
    for (const stream of [channel, channel.stderr]) stream.on('error', () => undefined);
    const output = new ChannelOutput(channel, line, signal);
    output.on('error', () => undefined);
    const { exitCode, text } = await commands.run(
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
    // Behind what git has said a text of ours would be none of the protocol's.
    if (text !== undefined && !output.begun) await complain(channel, `${text}\n`, signal);
    if (!signal.aborted) {
      channel.exit(exitCode);
      channel.end();
    }
    channel.resume();
    this.host.ended(channel);
  }
}

/** Resolves when the client has room for the text, or has gone. */
async function complain(channel: ServerChannel, text: string, gone: AbortSignal): Promise<void> {
  if (gone.aborted) return;
  await new Promise<void>((resolve) => {
    gone.addEventListener('abort', () => resolve(), { once: true });
    channel.stderr.write(text, () => resolve());
  });
}
