import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import ssh2, {
  type AuthContext,
  type Connection,
  type ParsedKey,
  type ServerChannel,
  type Session,
} from 'ssh2';
import { ALGORITHMS } from './algorithms.js';
import type { SshCommands } from './ssh-commands.js';
import type { SshLimits } from './ssh-limits.js';
import { SshSession } from './ssh-session.js';
import type { SshSignIn } from './ssh-sign-in.js';

/** What the connections of a process share. */
export interface ConnectionParts {
  hostKeys: readonly ParsedKey[];
  limits: SshLimits;
  signIn: SshSignIn;
  commands: SshCommands;
  logger: Logger;
}

/** How long a client may take to close its end after ours. */
const CLOSING_MS = 2_000;
/** Pings of the library's own would count as signs of life that a client gives. */
const NEVER_MS = 2 ** 31 - 1;

/** One client's connection: lets it in by its key, and runs its commands. */
export class SshConnection {
  /** Whether a client with a known key has come in. */
  hasSignedIn = false;
  private client: Connection | undefined;
  private key: Buffer | null = null;
  private attempts = 0;
  private sessions = 0;
  private stopping = false;
  private rest: NodeJS.Timeout | undefined;
  /** Those of the commands under way. */
  private readonly channels = new Set<ServerChannel>();

  constructor(
    private readonly socket: Socket,
    private readonly parts: ConnectionParts,
  ) {
    // A server for each: only so it is known which connection is made of which socket.
    const server = new ssh2.Server({
      hostKeys: parts.hostKeys.map((key) => ({ key })),
      ident: 'Trellis',
      algorithms: ALGORITHMS,
      keepaliveInterval: NEVER_MS,
    });
    server.once('connection', (client) => this.begin(client));
    socket.setMaxListeners(2 * parts.limits.sessions + 20);
    socket.setTimeout(parts.limits.silenceMs, () => socket.destroy());
    socket.on('error', () => undefined);
    socket.once('close', () => clearTimeout(this.rest));
    this.watchRest();
    server.injectSocket(socket);
    socket.on('data', () => this.checkHeld());
  }

  /** Takes no more commands, and closes when those under way have ended. */
  drain(): void {
    this.stopping = true;
    this.closeIfDone();
  }

  private begin(client: Connection): void {
    this.client = client;
    client.setMaxListeners(this.parts.limits.sessions + 10);
    client.on('error', (error) => this.parts.logger.debug({ err: error }, 'ssh connection failed'));
    client.on('authentication', (context) => {
      this.authenticate(context).catch((error: unknown) => {
        this.parts.logger.error({ err: error }, 'Signing in over SSH failed');
        this.socket.destroy();
      });
    });
    client.on('ready', () => {
      this.hasSignedIn = true;
      this.watchRest();
    });
    client.on('session', (accept, reject) => {
      if (this.key === null || this.sessions >= this.parts.limits.sessions) reject();
      else this.open(accept(), client, this.key);
    });
  }

  private async authenticate(context: AuthContext): Promise<void> {
    this.attempts += 1;
    if (this.attempts > this.parts.limits.attempts) {
      this.close();
      return;
    }
    const key = await this.parts.signIn.admit(context);
    if (this.socket.destroyed) return;
    if (key === null) {
      context.reject(['publickey']);
      return;
    }
    if (context.method === 'publickey' && context.signature !== undefined) this.key = key;
    context.accept();
  }

  private open(session: Session, client: Connection, key: Buffer): void {
    const { commands, logger } = this.parts;
    this.sessions += 1;
    new SshSession(session, {
      line: { socket: this.socket, client },
      key,
      commands,
      logger,
      isStopping: () => this.stopping,
      begun: (channel) => {
        this.channels.add(channel);
        clearTimeout(this.rest);
      },
      ended: (channel) => {
        this.channels.delete(channel);
        if (this.channels.size === 0) this.watchRest();
      },
      closed: (used) => {
        // The library keeps a session that never had a channel, so it goes on counting.
        if (used) this.sessions -= 1;
        this.closeIfDone();
      },
    });
  }

  /** Ends a connection that has nothing to do, also one that never signs in. */
  private watchRest(): void {
    clearTimeout(this.rest);
    if (this.socket.destroyed) return;
    const { restMs, signInMs } = this.parts.limits;
    this.rest = setTimeout(() => this.close(), this.hasSignedIn ? restMs : signInMs);
  }

  /** A client that has closed its session has read all that it was told. */
  private closeIfDone(): void {
    if (this.stopping && this.channels.size === 0) this.close();
  }

  private close(): void {
    clearTimeout(this.rest);
    if (this.client === undefined) {
      this.socket.destroySoon();
      return;
    }
    // Closed at once, the client might lose what it has not read yet.
    this.client.end();
    this.rest = setTimeout(() => this.socket.destroy(), CLOSING_MS);
  }

  /** Cuts off clients that send more than they were allowed to, or ask and do not read the answers. */
  private checkHeld(): void {
    const { heldBytes } = this.parts.limits;
    const unread = [...this.channels].some(({ readableLength }) => readableLength > heldBytes);
    if (unread || this.socket.writableLength > heldBytes) this.socket.destroy();
  }
}
