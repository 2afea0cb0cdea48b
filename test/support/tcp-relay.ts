import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

const READY_FOR_QUERY = 'Z\0\0\0\x05';

/** Stands between a client and a server on loopback, and fails as the network and machines do. */
export class TcpRelay {
  private readonly sockets = new Set<Socket>();
  private isSilent = false;
  private holdsStatements = false;

  private constructor(
    private readonly server: Server,
    private readonly target: { host: string; port: number },
  ) {}

  /** @param url of the server that is relayed to */
  static async start(url: string): Promise<TcpRelay> {
    const { hostname: host, port } = new URL(url);
    const relay = new TcpRelay(createServer(), { host, port: Number(port) });
    relay.server.on('connection', (client) => relay.connect(client));
    relay.server.listen(0, '127.0.0.1');
    await once(relay.server, 'listening');
    return relay;
  }

  get host(): string {
    const { port } = this.server.address() as AddressInfo;
    return `127.0.0.1:${String(port)}`;
  }

  /** Passes nothing on from now on, neither on connections that are open nor on new ones, as if a cable were pulled. */
  silence(): void {
    this.isSilent = true;
    for (const socket of this.sockets) socket.unpipe().pause();
  }

  /** Passes on what comes on new connections, but nothing on those that are open. */
  silenceOpenOnes(): void {
    this.silence();
    this.isSilent = false;
  }

  /** Lets new connections in, but passes on none of their statements, as a pooler whose sessions are all in use. */
  holdStatements(): void {
    this.holdsStatements = true;
  }

  /** Ends all connections and takes no new ones, as if the server had ended. */
  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    if (!this.server.listening) return;
    this.server.close();
    await once(this.server, 'close');
  }

  private connect(client: Socket): void {
    const upstream = connect(this.target);
    for (const socket of [client, upstream]) {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => this.sockets.delete(socket));
    }
    if (this.isSilent) return;
    client.pipe(upstream).pipe(client);
    if (!this.holdsStatements) return;
    upstream.on('data', (data: Buffer) => {
      if (data.includes(READY_FOR_QUERY)) client.unpipe(upstream);
    });
  }
}
