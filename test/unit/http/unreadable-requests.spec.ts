import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { answerUnreadableRequests } from '../../../src/platform/http/server/unreadable-requests.js';

describe('malformed requests', () => {
  let server: Server;
  let begun: ServerResponse | undefined;

  beforeEach(async () => {
    begun = undefined;
    server = createServer((request, response) => {
      if (request.url !== '/begun') return void response.end('read');
      response.setHeader('Content-Length', '100');
      response.write('half');
      begun = response;
    });
    answerUnreadableRequests(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  const open = async (): Promise<Socket> => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    await once(socket, 'connect');
    return socket.setEncoding('utf8');
  };

  /** Everything that comes back until the connection is closed. */
  const answerOn = (socket: Socket): Promise<string> => {
    let text = '';
    socket.on('data', (chunk: string) => (text += chunk)).on('error', () => undefined);
    return once(socket, 'close').then(() => text);
  };

  it.each([
    ['no HTTP', 'nonsense\r\n\r\n', '400 Bad Request'],
    ['a NUL in the path', 'GET /\0 HTTP/1.1\r\nHost: x\r\n\r\n', '400 Bad Request'],
    [
      'a path of 20,000 characters',
      `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
      '431 Request Header Fields Too Large',
    ],
  ])('are refused with JSON: %s', async (_, sent, title) => {
    const socket = await open();
    const answered = answerOn(socket);
    socket.write(sent);
    const [head = '', body = ''] = (await answered).split('\r\n\r\n');
    expect(head).toContain(`HTTP/1.1 ${title}\r\n`);
    expect(head).toContain('\r\nContent-Type: application/json\r\n');
    expect(JSON.parse(body)).toEqual({ error: title });
  });

  it('are refused after a complete response', async () => {
    const socket = await open();
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(socket, 'data');
    const answered = answerOn(socket);
    socket.write('nonsense\r\n\r\n');
    expect(await answered).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('add nothing to a response that has begun', async () => {
    const socket = await open();
    const answered = answerOn(socket);
    socket.write('GET /begun HTTP/1.1\r\nHost: x\r\n\r\n');
    while (begun === undefined) await new Promise(setImmediate);
    socket.write('nonsense\r\n\r\n');
    expect((await answered).split('\r\n\r\n')[1]).toBe('half');
  });
});
