import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { once } from 'node:events';
import express from 'express';
import { HttpDrain } from '../../../src/platform/http/index.js';

/** A server whose requests finish when the test says so. */
class SlowServer {
  readonly server: Server;
  readonly drain: HttpDrain;
  private readonly arrivals: (() => void)[] = [];
  private readonly waiting: (() => void)[] = [];

  constructor() {
    const app = express();
    this.server = createServer(app);
    this.drain = new HttpDrain(this.server);
    app.use(this.drain.middleware);
    app.get('/quick', (_request, response) => void response.json('quick'));
    app.get('/slow', (_request, response) => {
      this.waiting.push(() => response.json('slow'));
      this.arrivals.shift()?.();
    });
  }

  async listen(): Promise<void> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
  }

  async open(): Promise<Socket> {
    const socket = connect((this.server.address() as AddressInfo).port, '127.0.0.1');
    await once(socket, 'connect');
    return socket.setEncoding('utf8');
  }

  async startSlow(socket: Socket): Promise<void> {
    const arrived = new Promise<void>((resolve) => this.arrivals.push(resolve));
    socket.write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n');
    await arrived;
  }

  finish(): void {
    for (const finish of this.waiting.splice(0)) finish();
  }
}

const answerOn = (socket: Socket): Promise<string> => {
  let text = '';
  socket.on('data', (chunk: string) => (text += chunk));
  return once(socket, 'close').then(() => text);
};

describe('draining', () => {
  let slow: SlowServer;

  beforeEach(async () => {
    slow = new SlowServer();
    await slow.listen();
  });

  afterEach(() => {
    slow.server.closeAllConnections();
    slow.server.close();
  });

  it('lets requests in flight finish and closes their connections', async () => {
    const socket = await slow.open();
    await slow.startSlow(socket);
    const answer = answerOn(socket);
    const drained = slow.drain.drain();
    expect(slow.drain.draining).toBe(true);
    slow.finish();
    expect(await drained).toEqual({ cut: 0 });
    expect(await answer).toMatch(/^HTTP\/1\.1 200 [^]*connection: close[^]*"slow"/i);
    expect(slow.server.listening).toBe(false);
  });

  it('refuses further requests on a connection that is kept open', async () => {
    const first = await slow.open();
    await slow.startSlow(first);
    const second = await slow.open();
    second.write('GET /quick HTTP/1.1\r\nHost: x\r\n\r\nGET /quick HTTP/1.1\r\n');
    await once(second, 'data');
    const answer = answerOn(second);
    const drained = slow.drain.drain();
    second.write('Host: x\r\n\r\n');
    expect(await answer).toMatch(
      /^HTTP\/1\.1 503 [^]*connection: close[^]*"503 Service Unavailable"/i,
    );
    slow.finish();
    expect(await drained).toEqual({ cut: 0 });
  });

  it('aborts requests that exceed the time limit', async () => {
    const socket = await slow.open();
    await slow.startSlow(socket);
    const answer = answerOn(socket);
    expect(await slow.drain.drain(1)).toEqual({ cut: 1 });
    expect(await answer).toBe('');
  });

  it('finishes at once when idle, for repeated calls', async () => {
    const idle = await slow.open();
    const answer = answerOn(idle);
    const [first, second] = await Promise.all([slow.drain.drain(), slow.drain.drain()]);
    expect(first).toBe(second);
    expect(first).toEqual({ cut: 0 });
    expect(await answer).toBe('');
  });
});
