import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import request, { type Response } from 'supertest';
import { KNOWN_TOKEN, tinyApp, type TinyApp } from './support/tiny-app.js';

const ECHO = '/api/v3/odd/echo';
const MIB = 1024 * 1024;

/** Writes what a client sends by hand, and collects what it is answered. */
class RawClient {
  answers = '';

  private constructor(readonly socket: Socket) {
    socket.setEncoding('latin1').on('data', (text: string) => (this.answers += text));
    socket.on('error', () => undefined);
  }

  static async open(tiny: TinyApp): Promise<RawClient> {
    const { port } = tiny.app.getHttpServer().address() as { port: number };
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return new RawClient(socket);
  }

  /** Resolves when the server has closed the connection. */
  async closed(): Promise<string> {
    if (!this.socket.closed) await once(this.socket, 'close');
    return this.answers;
  }

  get statuses(): string[] {
    return [...this.answers.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status ?? '');
  }
}

describe('slow clients', () => {
  let tiny: TinyApp;

  beforeAll(async () => {
    tiny = await tinyApp({
      bodyPace: { windowMs: 50, bytes: 1_000, deadlineMs: 60_000 },
      readerPace: { windowMs: 200, bytes: 16_384, windows: 3, windowsOfAll: 2 },
    });
  });
  afterAll(() => tiny.close());

  const head = (path: string, length: number, more = '') =>
    `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${String(length)}\r\n${more}\r\n`;

  it('get 408 when a body stops half-way, and are disconnected', async () => {
    const client = await RawClient.open(tiny);
    client.socket.write(`${head(ECHO, 1_000)}{"a":"half`);
    const answers = await client.closed();
    expect(answers).toMatch(/^HTTP\/1\.1 408 /);
    expect(answers).toContain('{"message":"408 Request Timeout"}');
    expect(answers).toMatch(/\r\nConnection: close\r\n/i);
  });

  it('get errors of unknown routes and large bodies before the body is sent', async () => {
    const unknown = await RawClient.open(tiny);
    unknown.socket.write(head('/api/v3/nowhere', 20 * MIB));
    await once(unknown.socket, 'data');
    expect(unknown.statuses).toEqual(['404']);
    const large = await RawClient.open(tiny);
    large.socket.write(head(ECHO, 2 * MIB, `PRIVATE-TOKEN: ${KNOWN_TOKEN}\r\n`));
    await once(large.socket, 'data');
    expect(large.statuses).toEqual(['413']);
    for (const { socket } of [unknown, large]) socket.destroy();
  });

  it('may reuse the connection after a refused body', async () => {
    const client = await RawClient.open(tiny);
    client.socket.write(head(ECHO, 2 * MIB));
    client.socket.write(Buffer.alloc(2 * MIB, 'x'));
    client.socket.write(`GET ${ECHO}?a=1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    expect(await client.closed()).toContain('{"a":"1"}');
    expect(client.statuses).toEqual(['413', '200']);
  });

  it('are disconnected when they do not read', async () => {
    const server = tiny.app.getHttpServer();
    const arrived = once(server, 'connection') as Promise<[Socket]>;
    const stalled = await RawClient.open(tiny);
    const [connection] = await arrived;
    const cut = once(connection, 'close');
    stalled.socket.pause();
    stalled.socket.write('GET /a/b.git/large HTTP/1.1\r\nHost: x\r\n\r\n');
    await cut;
    stalled.socket.destroy();
    const whole = await request(server).get('/a/b.git/large').buffer(true).parse(countBytes);
    expect(whole.body).toBe(64 * MIB);
  });

  it('are disconnected when they read a large answer in a trickle', async () => {
    const { socket } = await RawClient.open(tiny);
    socket.removeAllListeners('data').pause();
    socket.write('GET /a/b.git/piece HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    const reads = setInterval(() => socket.read() as unknown, 5);
    await once(socket, 'close');
    clearInterval(reads);
    expect(socket.bytesRead).toBeLessThan(32 * MIB);
  });
});

/** Reads an answer without keeping it. */
function countBytes(response: Response, done: (error: Error | null, size: number) => void): void {
  let size = 0;
  response.on('data', (chunk: Buffer) => (size += chunk.length));
  response.on('end', () => done(null, size));
}

describe('requests of one connection', () => {
  let tiny: TinyApp;

  beforeAll(async () => {
    tiny = await tinyApp();
  });
  afterAll(() => tiny.close());

  it('are handled one after the other, in their order', async () => {
    const client = await RawClient.open(tiny);
    const gets = Array.from(
      { length: 20 },
      (_, index) => `GET ${ECHO}?n=${String(index)} HTTP/1.1\r\nHost: x\r\n\r\n`,
    );
    const last = `GET ${ECHO}?n=last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
    client.socket.write([...gets, last].join(''));
    const bodies = [...(await client.closed()).matchAll(/\{"n":"(\w+)"\}/g)].map(([, n]) => n);
    expect(bodies).toEqual([...gets.map((_, index) => String(index)), 'last']);
  });

  it('are limited to 64 waiting ones', async () => {
    const client = await RawClient.open(tiny);
    client.socket.write(`GET ${ECHO} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(500));
    const answers = await client.closed();
    expect(client.statuses).toEqual([...Array<string>(65).fill('200'), '429']);
    expect(answers).toContain('{"message":"429 Too Many Requests"}');
    expect(answers).toMatch(/\r\nretry-after: 1\r\n/i);
    await request(tiny.app.getHttpServer()).get(ECHO).expect(200);
  });
});
