import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

/** Clients of a server that listens on loopback, each from an address of its own choice. */
export class Clients {
  private readonly sockets: Socket[] = [];

  private constructor(private readonly server: Server) {}

  /** Lets the server listen on a free port. */
  static async of(server: Server): Promise<Clients> {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Clients(server);
  }

  /** Begins to connect. */
  open(localAddress: string): Socket {
    const { port } = this.server.address() as AddressInfo;
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    socket.on('error', () => undefined);
    this.sockets.push(socket);
    return socket;
  }

  /** Ends the clients and the server. */
  close(): void {
    for (const socket of this.sockets.splice(0)) socket.destroy();
    this.server.closeAllConnections();
    this.server.close();
  }
}
