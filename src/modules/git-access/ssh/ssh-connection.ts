import type { Socket } from 'node:net';
import { Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import ssh2, {
  type Algorithms,
  type AuthContext,
  type Connection,
  type ParsedKey,
  type ServerChannel,
  type Session,
} from 'ssh2';
import { Config } from '../../../platform/config/index.js';
import { PacedParser } from './paced-parser.js';
import type { ParsingTurns } from './parsing-turns.js';
import { awaitsAnswer, sendDisconnect } from './protocol-internals.js';
import { announceSignatureAlgorithms } from './signature-algorithms.js';
import type { AcceptedKey, SshAuthentication } from './ssh-authentication.js';
import type { SshCommandRunner } from './ssh-command-runner.js';
import { SshSession } from './ssh-session.js';

const MINUTE = 60_000;

/** The limits of SSH connections. */
@Injectable()
export class SshLimits {
  readonly connections: number;
  readonly connectionsOfOneAddress: number;
  /** How long authentication may take; milliseconds. */
  readonly signInMs: number = 20_000;
  /** How long a new connection is kept when there are too many connections; milliseconds. */
  readonly handshakeMs: number = 1_000;
  /** Concurrent sessions of one connection. */
  readonly sessions: number = 10;
  /** Authentication attempts of one connection: agents offer all their keys. */
  readonly attempts: number = 20;
  /** Messages of a connection that has not authenticated. OpenSSH with 20 keys sends less than 50. */
  readonly messagesBeforeSignIn: number = 400;
  /** Messages that an authenticated connection may send without a pause. */
  readonly messagesAtOnce: number = 20_000;
  /** Messages that such a connection is given back. */
  readonly messagesPerSecond: number = 1_000;
  /** The bytes in either direction for which it is given back one more. */
  readonly bytesPerMessage: number = 256;
  /** The messages that a key exchange counts as: it takes as long, up to 25 ms. */
  readonly messagesPerKeyExchange: number = 100;
  /** How long a connection may have no command; milliseconds. */
  readonly restMs: number = MINUTE;
  /** How long a connection may transfer no byte in either direction; milliseconds. */
  readonly silenceMs: number = 10 * MINUTE;
  /** The bytes that a connection may buffer for each of its ends. */
  readonly heldBytes: number = 8 * 1024 * 1024;

  constructor({ ssh }: Config) {
    this.connections = ssh.maxConnections;
    this.connectionsOfOneAddress = Math.ceil(ssh.maxConnections / 4);
  }
}

/** The configuration and services of all connections of a process. */
export interface SshConnectionOptions {
  hostKeys: readonly ParsedKey[];
  limits: SshLimits;
  authentication: SshAuthentication;
  commands: SshCommandRunner;
  turns: ParsingTurns;
  logger: Logger;
}

/** How long a client may take to close the connection after the server closed its end. */
const CLOSING_MS = 2_000;
/** Disables pings of the library, whose answers would count as activity of the client. */
const NEVER_MS = 2 ** 31 - 1;

/** The algorithms of clients of the last ten years, without SHA-1. Packs are compressed already. */
const ALGORITHMS: Algorithms = {
  kex: [
    'curve25519-sha256',
    'curve25519-sha256@libssh.org',
    'ecdh-sha2-nistp256',
    'ecdh-sha2-nistp384',
    'ecdh-sha2-nistp521',
    'diffie-hellman-group16-sha512',
    'diffie-hellman-group14-sha256',
  ],
  cipher: [
    'aes128-gcm@openssh.com',
    'aes256-gcm@openssh.com',
    'aes128-ctr',
    'aes192-ctr',
    'aes256-ctr',
  ],
  hmac: [
    'hmac-sha2-256-etm@openssh.com',
    'hmac-sha2-512-etm@openssh.com',
    'hmac-sha2-256',
    'hmac-sha2-512',
  ],
  compress: ['none'],
};

/** The connection of a client: authenticates it by its key, and runs its commands. */
export class SshConnection {
  /** Whether a client with a registered key has authenticated. */
  isAuthenticated = false;
  private client: Connection | undefined;
  private key: AcceptedKey | null = null;
  private attempts = 0;
  private sessions = 0;
  private stopping = false;
  private idleTimer: NodeJS.Timeout | undefined;
  /** The channels of the commands under way. */
  private readonly channels = new Set<ServerChannel>();

  constructor(
    private readonly socket: Socket,
    private readonly options: SshConnectionOptions,
  ) {
    // One server for each connection: with a shared one the socket of a connection would not be known.
    const server = new ssh2.Server({
      hostKeys: options.hostKeys.map((key) => ({ key })),
      ident: 'Trellis',
      algorithms: ALGORITHMS,
      keepaliveInterval: NEVER_MS,
    });
    server.once('connection', (client) => this.begin(client));
    socket.setMaxListeners(2 * options.limits.sessions + 20);
    socket.setTimeout(options.limits.silenceMs, () => socket.destroy());
    socket.on('error', () => undefined);
    socket.once('close', () => clearTimeout(this.idleTimer));
    this.restartIdleTimer();
    server.injectSocket(socket);
    socket.on('data', () => this.checkBuffers());
  }

  /** Accepts no more commands, and closes the connection when those under way have ended. */
  drain(): void {
    this.stopping = true;
    this.closeIfDone();
  }

  private begin(client: Connection): void {
    this.client = client;
    announceSignatureAlgorithms(client);
    const { limits, turns } = this.options;
    new PacedParser(client, this.socket, {
      limits,
      turns,
      isAuthenticated: () => this.isAuthenticated,
      onExcess: () => this.disconnect(client, 'Too many messages before authentication'),
    });
    client.setMaxListeners(limits.sessions + 10);
    client.on('error', (error) =>
      this.options.logger.debug({ err: error }, 'ssh connection failed'),
    );
    client.on('authentication', (context) => {
      this.authenticate(context, client).catch((error: unknown) => {
        this.options.logger.error({ err: error }, 'SSH authentication failed');
        this.socket.destroy();
      });
    });
    client.on('ready', () => {
      this.isAuthenticated = this.key?.isKnown === true;
      this.restartIdleTimer();
    });
    client.on('session', (accept, reject) => {
      if (this.key === null || this.sessions >= this.options.limits.sessions) reject();
      else this.open(accept(), client, this.key.data);
    });
  }

  private async authenticate(context: AuthContext, client: Connection): Promise<void> {
    this.attempts += 1;
    if (this.attempts > this.options.limits.attempts) {
      this.close();
      return;
    }
    const key = await this.options.authentication.authenticate(context);
    if (this.socket.destroyed) return;
    if (!awaitsAnswer(client)) {
      this.disconnect(client, 'Unexpected answer to an authentication request');
      return;
    }
    if (key === null) {
      context.reject(['publickey']);
      return;
    }
    if (context.method === 'publickey' && context.signature !== undefined) this.key = key;
    context.accept();
  }

  private open(session: Session, client: Connection, key: Buffer): void {
    const { commands, logger } = this.options;
    this.sessions += 1;
    new SshSession(session, {
      line: { socket: this.socket, client },
      key,
      commands,
      logger,
      isStopping: () => this.stopping,
      begun: (channel) => {
        this.channels.add(channel);
        clearTimeout(this.idleTimer);
      },
      ended: (channel) => {
        this.channels.delete(channel);
        if (this.channels.size === 0) this.restartIdleTimer();
      },
      closed: (used) => {
        // The library keeps a session that never had a channel, so it still counts.
        if (used) this.sessions -= 1;
        this.closeIfDone();
      },
    });
  }

  /** Closes the connection when it is idle for too long, or does not authenticate in time. */
  private restartIdleTimer(): void {
    clearTimeout(this.idleTimer);
    if (this.socket.destroyed) return;
    const { restMs, signInMs } = this.options.limits;
    this.idleTimer = setTimeout(() => this.close(), this.isAuthenticated ? restMs : signInMs);
  }

  /** Closes a draining connection: a client that has closed its sessions has read all output. */
  private closeIfDone(): void {
    if (this.stopping && this.channels.size === 0) this.close();
  }

  private close(): void {
    clearTimeout(this.idleTimer);
    if (this.client === undefined) {
      this.socket.destroySoon();
      return;
    }
    this.client.end();
    this.awaitClose();
  }

  /** Closes the connection with a text that clients show. */
  private disconnect(client: Connection, text: string): void {
    clearTimeout(this.idleTimer);
    sendDisconnect(client, text);
    this.socket.end();
    this.awaitClose();
  }

  /** A socket that is closed at once could lose output that the client has not read. */
  private awaitClose(): void {
    this.idleTimer = setTimeout(() => this.socket.destroy(), CLOSING_MS);
  }

  /** Disconnects clients that send more than the window allows, or do not read answers. */
  private checkBuffers(): void {
    const { heldBytes } = this.options.limits;
    const unread = [...this.channels].some(({ readableLength }) => readableLength > heldBytes);
    if (unread || this.socket.writableLength > heldBytes) this.socket.destroy();
  }
}
