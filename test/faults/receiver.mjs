import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { HERE } from '../crash/processes.mjs';
import { nameOf } from './events.mjs';

/** Receives deliveries, takes down every request, and answers as its manner tells. */
export class Receiver {
  /** What has come under each `webhook-id`, in the order in which it came first. */
  messages = new Map();
  /** Requests that came whole. */
  requests = 0;
  /** Messages of which one request was answered with success, to the last byte. */
  answered = 0;
  /** Requests that wait for their answer. */
  open = 0;
  #server;

  /** @param manner answers an exchange: see `manners.mjs` */
  constructor(name, manner, host = HERE.host) {
    Object.assign(this, { name, manner, host });
  }

  async start() {
    this.#server = createServer((request, response) => {
      // A worker that is killed breaks off: what has come by then counts for nothing.
      this.#take(request, response).catch(() => response.destroy());
    });
    this.#server.listen(0, this.host);
    await once(this.#server, 'listening');
  }

  get url() {
    return `http://${this.host}:${this.#server.address().port}/${this.name}`;
  }

  async stop() {
    if (this.#server === undefined) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #take(request, response) {
    const body = await buffer(request);
    this.requests += 1;
    this.open += 1;
    response.once('close', () => (this.open -= 1));
    const message = this.#message(request.headers['webhook-id'] ?? '', body);
    message.bodies.add(createHash('sha256').update(body).digest('hex'));
    message.attempts += 1;
    const succeed = () => this.#succeeded(message);
    await this.manner({ message, response, attempt: message.attempts, succeed });
  }

  #message(id, body) {
    const known = this.messages.get(id);
    if (known !== undefined) return known;
    const message = {
      ...{ id, event: nameOf(body), place: this.messages.size, attempts: 0, answers: 0 },
      bodies: new Set(),
      answeredAt: undefined,
    };
    this.messages.set(id, message);
    return message;
  }

  #succeeded(message) {
    message.answers += 1;
    if (message.answers > 1) return;
    message.answeredAt = performance.now();
    this.answered += 1;
  }
}
