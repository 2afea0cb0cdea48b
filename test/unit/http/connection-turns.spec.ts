import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { inTurnOfConnection } from '../../../src/platform/http/server/connection-turns.js';
import { answerUnreadableRequests } from '../../../src/platform/http/server/unreadable-requests.js';
import { MAX_PIPELINED, MIB } from '../../../src/platform/limits/index.js';

const REQUEST = 'GET /api/v3/user HTTP/1.1\r\nHost: localhost\r\n\r\n';

describe('pipelined requests of one connection', () => {
  let server: Server;
  let client: Socket;
  /** Responses of the requests that were handed to the application, and have not been answered. */
  let begun: ServerResponse[];

  beforeEach(async () => {
    begun = [];
    server = createServer(inTurnOfConnection((_request, response) => begun.push(response)));
    answerUnreadableRequests(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    await once(client, 'connect');
  });
  afterEach(() => {
    client.destroy();
    server.closeAllConnections();
    server.close();
  });

  const nextBegun = async (): Promise<ServerResponse> => {
    while (begun.length === 0) await once(server, 'request');
    return begun.shift() as ServerResponse;
  };

  /** Answers each request that is begun, up to the one that is refused. */
  async function answerAll(): Promise<void> {
    for (let answered = 0; answered <= MAX_PIPELINED; answered += 1) {
      const response = await nextBegun();
      response.end('answered');
      await once(response, 'close');
    }
  }

  it('are handled one after the other', async () => {
    client.end(REQUEST.repeat(3));
    const answers = text(client);
    for (const answer of ['first', 'second', 'third']) {
      const response = await nextBegun();
      expect(begun).toEqual([]);
      response.end(answer);
      await once(response, 'close');
    }
    expect((await answers).match(/first|second|third/g)).toEqual(['first', 'second', 'third']);
  });

  it('are refused beyond the limit of waiting ones, and not parsed', async () => {
    let parsed = 0;
    server.on('request', () => (parsed += 1));
    const answers = text(client);
    // The client ends its own direction amid a request that the server no longer reads.
    client.end(REQUEST.repeat(8_000) + REQUEST.slice(0, 10));
    await answerAll();
    const statuses = (await answers).match(/HTTP\/1.1 \d+/g);
    expect(statuses).toEqual([
      ...Array.from({ length: MAX_PIPELINED + 1 }, () => 'HTTP/1.1 200'),
      'HTTP/1.1 429',
    ]);
    expect(parsed).toBe(MAX_PIPELINED + 2);
  });

  it.each([
    { rest: 'a body', behind: 'Content-Length: 20000\r\n\r\n' + 'x'.repeat(20_000) },
    { rest: 'what is no HTTP', behind: '\r\n' + '\0'.repeat(3 * MIB) },
    { rest: 'headers without an end', behind: '\r\nGET / HTTP/1.1\r\nX: ' + 'x'.repeat(MIB) },
  ])('are answered before invalid data such as $rest', async ({ behind }) => {
    client.write(`${REQUEST.repeat(MAX_PIPELINED + 1)}POST /a HTTP/1.1\r\nHost: a\r\n${behind}`);
    const answers = text(client);
    await answerAll();
    expect((await answers).match(/HTTP\/1.1 \d+/g)).toHaveLength(MAX_PIPELINED + 2);
  });

  it('are not started after a response that ends the connection', async () => {
    client.write(REQUEST.repeat(2));
    const response = await nextBegun();
    // As for a body that is still sent.
    response.req.socket.destroySoon = () => response.req.socket.end();
    response.writeHead(400, { Connection: 'close' }).end();
    await once(response, 'close');
    client.write(REQUEST);
    await once(server, 'request');
    expect(begun).toEqual([]);
  });

  it.each(['GET / HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: x', 'CONNECT a:1 HTTP/1.1'])(
    'are answered although %j follows, and an error of the connection is harmless',
    async (head) => {
      const many = REQUEST.repeat(MAX_PIPELINED + 2);
      client.write(`${many}${head}\r\nHost: localhost\r\n\r\n`);
      const response = await nextBegun();
      const { socket } = response.req;
      const answer = once(client, 'data');
      response.end('answered');
      expect(String((await answer)[0])).toMatch(/^HTTP\/1.1 200 [^]*answered/);
      const closed = new Promise((resolve) => socket.once('close', resolve));
      client.resetAndDestroy();
      await closed;
    },
  );
});
