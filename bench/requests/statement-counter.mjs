import { connect, createServer } from 'node:net';

/** A message of PostgreSQL's protocol begins with its type, a byte, and its length, four bytes. */
const HEADER_BYTES = 5;
const TYPE_BYTES = 1;

const QUERY = 'Q';
const EXECUTE = 'E';
const SYNC = 'S';
const READY_FOR_QUERY = 'Z';
const STARTUP = '\0';

/** The types of the messages that one side of a connection sends. */
class MessageTypes {
  #header;
  #remaining = 0;

  /** @param {string} begin what is taken for sent: the startup message alone has no type */
  constructor(begin = '') {
    this.#header = Buffer.from(begin);
  }

  /** @param {Buffer} chunk */
  *read(chunk) {
    let rest = chunk;
    while (rest.length > 0) {
      const skipped = Math.min(this.#remaining, rest.length);
      this.#remaining -= skipped;
      rest = rest.subarray(skipped);
      const part = rest.subarray(0, HEADER_BYTES - this.#header.length);
      rest = rest.subarray(part.length);
      this.#header = Buffer.concat([this.#header, part]);
      if (this.#header.length < HEADER_BYTES) continue;
      // The length counts itself but not the type.
      this.#remaining = this.#header.readInt32BE(TYPE_BYTES) - (HEADER_BYTES - TYPE_BYTES);
      yield String.fromCharCode(this.#header[0]);
      this.#header = Buffer.alloc(0);
    }
  }
}

/**
 * Stands between a service and PostgreSQL and counts the statements on their way, `BEGIN` and `COMMIT`
 * included, and the round trips: how often the service began to wait for PostgreSQL. Statements that
 * are sent together, on one connection or on several, are one round trip.
 */
export class StatementCounter {
  #server;
  #url;
  #sockets = new Set();
  #statements = 0;
  #roundTrips = 0;
  #awaited = 0;

  /** @private */
  constructor(databaseUrl) {
    this.#url = new URL(databaseUrl);
    this.#server = createServer((client) => this.#join(client));
  }

  /** @param {string} databaseUrl without TLS */
  static async start(databaseUrl) {
    const counter = new StatementCounter(databaseUrl);
    await new Promise((resolve) => counter.#server.listen(0, '127.0.0.1', resolve));
    return counter;
  }

  /** The address of the database through the counter. */
  get url() {
    const url = new URL(this.#url);
    url.host = `127.0.0.1:${this.#server.address().port}`;
    return url.href;
  }

  /**
   * @param {() => Promise<unknown>} work
   * @returns {Promise<{ statements: number, roundTrips: number }>} those sent meanwhile
   */
  async count(work) {
    const [statements, roundTrips] = [this.#statements, this.#roundTrips];
    await work();
    return {
      statements: this.#statements - statements,
      roundTrips: this.#roundTrips - roundTrips,
    };
  }

  async stop() {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #join(client) {
    const server = connect(Number(this.#url.port), this.#url.hostname);
    const [sent, answered] = [new MessageTypes(STARTUP), new MessageTypes()];
    let awaited = 0;
    const wait = (change) => {
      awaited += change;
      this.#awaited += change;
    };
    client.on('data', (chunk) => {
      for (const type of sent.read(chunk)) {
        if (type === QUERY || type === EXECUTE) this.#statements += 1;
        if (type !== QUERY && type !== SYNC && type !== STARTUP) continue;
        if (this.#awaited === 0) this.#roundTrips += 1;
        wait(1);
      }
      server.write(chunk);
    });
    server.on('data', (chunk) => {
      for (const type of answered.read(chunk)) if (type === READY_FOR_QUERY) wait(-1);
      client.write(chunk);
    });
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ]) {
      socket.setNoDelay(true);
      this.#sockets.add(socket);
      // The end of a connection is the other side's to report.
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.#sockets.delete(socket);
        wait(-awaited);
        other.destroy();
      });
    }
  }
}
