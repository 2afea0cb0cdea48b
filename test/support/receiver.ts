import {
  createServer,
  type IncomingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { SELF_SIGNED } from './certificate.js';

export interface Delivery {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** Answers a delivery; `count` is 1 for the first. */
export type Answering = (response: ServerResponse, count: number, delivery: Delivery) => void;

/** A real HTTP server that keeps what is sent to it, for everything that calls out. */
export class Receiver {
  readonly deliveries: Delivery[] = [];
  private waiting: (() => void)[] = [];

  private constructor(
    private readonly server: Server,
    private readonly scheme: 'http' | 'https',
  ) {}

  /** @param answer the status it answers with, or how it answers */
  static start(answer: number | Answering = 200): Promise<Receiver> {
    return Receiver.serve(new Receiver(createServer(), 'http'), answer);
  }

  /** With a certificate that nobody trusts. */
  static startSecure(): Promise<Receiver> {
    return Receiver.serve(new Receiver(createSecureServer(SELF_SIGNED), 'https'), 200);
  }

  private static async serve(receiver: Receiver, answer: number | Answering): Promise<Receiver> {
    const { server } = receiver;
    const answering: Answering =
      typeof answer === 'number' ? (response) => response.writeHead(answer).end() : answer;
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { method = '', url: path = '', headers } = request;
        const delivery = { method, path, headers, body: Buffer.concat(chunks).toString() };
        receiver.take(delivery);
        answering(response, receiver.deliveries.length, delivery);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `${this.scheme}://127.0.0.1:${String(this.port)}`;
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

/** Receivers that are all stopped together. */
export class Receivers {
  private readonly started: Receiver[] = [];

  /** @param answer as for a single one */
  async start(answer: number | Answering): Promise<Receiver> {
    const receiver = await Receiver.start(answer);
    this.started.push(receiver);
    return receiver;
  }

  async stop(): Promise<void> {
    for (const receiver of this.started.splice(0)) await receiver.stop();
  }
}
