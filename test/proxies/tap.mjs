import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/** How much is kept of a part of a body. */
const SHOWN_BYTES = 4_096;

/** A relay between a proxy and the service, which sees what the proxy makes of requests and can hold up responses. */
export class Tap {
  /** What was relayed to the service, in parts, as Latin-1: heads, and beginnings of parts of bodies. */
  #parts = [];
  /** Bytes of responses since `hold`. */
  #sent = 0;
  #sockets = new Set();
  #limit = Infinity;
  #held = new Set();
  #server = createServer((socket) => this.#relay(socket));

  constructor(servicePort) {
    this.servicePort = servicePort;
  }

  async start() {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    this.port = this.#server.address().port;
  }

  /** Whether the service was sent a text. */
  hasSent(text) {
    return this.#parts.some((part) => part.includes(text));
  }

  /** The head of the last request whose first line contains a text. */
  headOf(text) {
    const isHead = (part) => part.slice(0, part.indexOf('\r\n')).includes(text);
    return this.#parts.findLast(isHead)?.split('\r\n\r\n')[0];
  }

  /** From now on proxies get no more than so many bytes of responses, until `release`. */
  hold(bytes) {
    this.#sent = 0;
    this.#limit = bytes;
  }

  release() {
    this.#limit = Infinity;
    for (const socket of this.#held) socket.resume();
    this.#held.clear();
  }

  stop() {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }

  #relay(client) {
    const service = connect(this.servicePort, '127.0.0.1');
    for (const socket of [client, service]) {
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => {
        this.#sockets.delete(socket);
        client.destroy();
        service.destroy();
      });
    }
    client.on('data', (part) => {
      const isHead = part.includes(' HTTP/1.1\r\n');
      this.#parts.push(part.toString('latin1', 0, isHead ? part.length : SHOWN_BYTES));
    });
    client.pipe(service);
    service.on('data', (part) => {
      this.#sent += part.length;
      if (!client.write(part)) {
        service.pause();
        client.once('drain', () => this.#held.has(service) || service.resume());
      }
      if (this.#sent > this.#limit) {
        service.pause();
        this.#held.add(service);
      }
    });
    service.once('end', () => client.end());
  }
}
