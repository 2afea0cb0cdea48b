import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Delivery {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** A real HTTP server that keeps what is sent to it, for everything that calls out. */
export class Receiver {
  readonly deliveries: Delivery[] = [];
  private waiting: (() => void)[] = [];

  private constructor(private readonly server: Server) {}

  /** @param status what it answers with */
  static async start(status = 200): Promise<Receiver> {
    const server = createServer();
    const receiver = new Receiver(server);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { method = '', url: path = '', headers } = request;
        receiver.take({ method, path, headers, body: Buffer.concat(chunks).toString() });
        response.writeHead(status).end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${String((this.server.address() as AddressInfo).port)}`;
  }

  /** Resolves when so many deliveries are there. */
  async received(count: number): Promise<Delivery[]> {
    while (this.deliveries.length < count) {
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
    return this.deliveries;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private take(delivery: Delivery): void {
    this.deliveries.push(delivery);
    for (const wake of this.waiting.splice(0)) wake();
  }
}
