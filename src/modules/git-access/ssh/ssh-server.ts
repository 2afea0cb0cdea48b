import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Config } from '../../../platform/config/index.js';
import { clientNetwork } from '../../../platform/limits/index.js';
import { HostKeys } from './host-keys.js';
import { ParsingTurns } from './parsing-turns.js';
import { SshAuthentication } from './ssh-authentication.js';
import { SshCommandRunner } from './ssh-command-runner.js';
import { type SshConnectionOptions, SshConnection, SshLimits } from './ssh-connection.js';

const KEEP_ALIVE_MS = 30_000;
/** Sent before the protocol begins; clients show it. */
const FULL = 'Too many connections. Try again later.\r\n';

interface OpenConnection {
  /** By `clientNetwork`. */
  address: string;
  connection: SshConnection;
  /** By `performance.now()`. */
  since: number;
}

/** Git over SSH on a port of its own (docs/reference/git.md#ssh). */
@Injectable()
export class SshServer {
  private readonly connections = new Map<Socket, OpenConnection>();
  private server: Server | undefined;

  constructor(
    private readonly config: Config,
    private readonly hostKeys: HostKeys,
    private readonly limits: SshLimits,
    private readonly authentication: SshAuthentication,
    private readonly commands: SshCommandRunner,
  ) {}

  /** Listens for connections, unless SSH is disabled, and stores the actual port in the configuration. */
  async listen(logger: Logger): Promise<void> {
    const { http, ssh, dataDir } = this.config;
    if (ssh.port === 'off') return;
    const { authentication, commands, limits } = this;
    const hostKeys = await this.hostKeys.load(dataDir, logger);
    const turns = new ParsingTurns();
    const connection = { hostKeys, limits, authentication, commands, turns, logger };
    const options = { noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS };
    const server = createServer(options, (socket) => this.accept(socket, connection));
    server.listen(ssh.port, http.host);
    await once(server, 'listening');
    server.on('error', (error) => logger.error({ err: error }, 'The SSH server failed'));
    this.server = server;
    const { port } = server.address() as AddressInfo;
    this.config.bindSshPort(port);
    logger.info(`Git over SSH is served on port ${String(port)}`);
  }

  /**
   * Accepts no more connections and commands, and lets those under way finish.
   * @param limitMs connections that are left then are closed
   */
  async drain(limitMs: number): Promise<void> {
    const { server } = this;
    if (server === undefined) return;
    this.server = undefined;
    const closed = once(server, 'close');
    server.close();
    for (const { connection } of this.connections.values()) connection.drain();
    const limit = new AbortController();
    const tooLate = delay(limitMs, undefined, { signal: limit.signal }).catch(() => undefined);
    await Promise.race([closed, tooLate]);
    limit.abort();
    for (const socket of this.connections.keys()) socket.destroy();
    await closed;
  }

  private accept(socket: Socket, options: SshConnectionOptions): void {
    const address = clientNetwork(socket.remoteAddress ?? '');
    if (!this.hasRoom(address)) {
      socket.on('error', () => undefined);
      socket.write(FULL);
      socket.destroySoon();
      return;
    }
    const connection = new SshConnection(socket, options);
    this.connections.set(socket, { address, connection, since: performance.now() });
    socket.once('close', () => this.connections.delete(socket));
  }

  /**
   * Whether a connection from this address is accepted. At the limit, it replaces the oldest connection that
   * has not authenticated within `handshakeMs`, so that idle connections, which anyone can open, cannot keep
   * users out.
   */
  private hasRoom(address: string): boolean {
    const { connections, connectionsOfOneAddress, handshakeMs } = this.limits;
    const ofAddress = new Map<string, number>();
    for (const open of this.connections.values()) {
      ofAddress.set(open.address, (ofAddress.get(open.address) ?? 0) + 1);
    }
    const isOwn = (ofAddress.get(address) ?? 0) >= connectionsOfOneAddress;
    if (!isOwn && this.connections.size < connections) return true;
    const most = Math.max(...ofAddress.values());
    const latest = performance.now() - handshakeMs;
    for (const [socket, open] of this.connections) {
      const isCandidate = isOwn ? open.address === address : ofAddress.get(open.address) === most;
      if (!isCandidate || open.connection.isAuthenticated || open.since > latest) continue;
      this.connections.delete(socket);
      socket.destroy();
      return true;
    }
    return false;
  }
}
