import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { inTurnOfConnection } from '../../../src/platform/http/server/connection-turns.js';
import { MAX_DISCARDED_BYTES, MAX_PIPELINED, MIB } from '../../../src/platform/limits/index.js';

const REQUEST = 'GET /api/v3/user HTTP/1.1\r\nHost: localhost\r\n\r\n';

describe('pipelined requests of one connection', () => {
  let server: Server;
  let client: Socket;
  /** Responses of the requests that were handed to the application, and have not been answered. */
  let begun: ServerResponse[];

  beforeEach(async () => {
    begun = [];
    server = createServer(inTurnOfConnection((_request, response) => begun.push(response)));
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

  it('are refused beyond those that may wait, and parsed no further', async () => {
    let parsed = 0;
    server.on('request', () => (parsed += 1));
    const answers = text(client);
    // The client ends its own direction amid a request that the server no longer reads.
    client.end(REQUEST.repeat(8_000) + REQUEST.slice(0, 10));
    for (let answered = 0; answered <= MAX_PIPELINED; answered += 1) {
      const response = await nextBegun();
      response.end('answered');
      await once(response, 'close');
    }
    const statuses = (await answers).match(/HTTP\/1.1 \d+/g);
    expect(statuses).toEqual([
      ...Array.from({ length: MAX_PIPELINED + 1 }, () => 'HTTP/1.1 200'),
      'HTTP/1.1 429',
    ]);
    expect(parsed).toBe(MAX_PIPELINED + 2);
  });

  it('are cut off when their client sends megabytes behind the refusal', async () => {
    const cutOff = once(client, 'error');
    client.write(REQUEST.repeat(MAX_PIPELINED + 2));
    client.write(Buffer.alloc(MAX_DISCARDED_BYTES + MIB));
    expect(await cutOff).toMatchObject([{ code: expect.stringMatching(/ECONNRESET|EPIPE/) }]);
    expect(begun).toHaveLength(1);
  });
});
