import { once } from 'node:events';
import { createServer } from 'node:http';

/**
 * A receiver that answers at once. It runs in the process of the bench, which has nothing else to do
 * meanwhile, so that its processor time is nobody's.
 */
export class Receiver {
  #server = createServer((request, response) => this.#take(request, response));
  #expected = 0;
  #enough = () => undefined;
  /** Moments at which the first bytes of requests arrived, in `performance.now()`. */
  #arrivals = [];

  static async start() {
    const receiver = new Receiver();
    receiver.#server.listen(0, '127.0.0.1');
    await once(receiver.#server, 'listening');
    return receiver;
  }

  get url() {
    return `http://127.0.0.1:${this.#server.address().port}/hook`;
  }

  /**
   * Resolves with the moments at which requests arrived, once there are so many.
   * @param {number} count
   * @returns {Promise<number[]>}
   */
  async receive(count) {
    this.#arrivals = [];
    this.#expected = count;
    await new Promise((resolve) => (this.#enough = resolve));
    return this.#arrivals;
  }

  async stop() {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #take(request, response) {
    this.#arrivals.push(performance.now());
    request.resume();
    request.once('end', () => {
      response.writeHead(200, { 'Content-Type': 'text/plain', 'Content-Length': 2 }).end('ok');
    });
    if (this.#arrivals.length === this.#expected) this.#enough();
  }
}
