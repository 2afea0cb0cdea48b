import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { limitConnections } from '../../../src/platform/http/server/connection-limits.js';
import { Clients } from './support/clients.js';

const REQUEST = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';
const TOTAL = 4;
const PER_ADDRESS = 2;
const LIMITED = '127.0.0.3';

describe('the connections of a server', () => {
  let server: Server;
  let clients: Clients;
  /** Responses of requests that are under way. */
  let begun: ServerResponse[];

  beforeEach(async () => {
    begun = [];
    server = createServer((_request, response) => begun.push(response));
    const isExempt = (address: string): boolean => address !== LIMITED;
    limitConnections(server, { total: TOTAL, perAddress: PER_ADDRESS, isExempt });
    clients = await Clients.of(server);
  });
  afterEach(() => clients.close());

  /** Connects, and waits until the server has the connection. */
  async function open(localAddress = '127.0.0.2'): Promise<Socket> {
    const client = clients.open(localAddress);
    await Promise.all([once(client, 'connect'), once(server, 'connection')]);
    return client;
  }

  /** Connects with a request that is not answered yet. */
  async function openBusy(localAddress?: string): Promise<Socket> {
    const client = await open(localAddress);
    client.write(REQUEST);
    await once(server, 'request');
    return client;
  }

  const answerOn = async (client: Socket): Promise<string> => {
    const [bytes] = (await once(client, 'data')) as [Buffer];
    return bytes.toString('latin1');
  };

  it('replace the longest idle one by a new one', async () => {
    const [first, second] = [await open(), await open()];
    for (let count = 2; count < TOTAL; count += 1) await openBusy();
    const closed = once(first, 'close');
    const newcomer = await open();
    await closed;
    second.write(REQUEST);
    await once(server, 'request');
    newcomer.write(REQUEST);
    await once(server, 'request');
    expect(begun).toHaveLength(TOTAL);
  });

  it('count as idle again after their responses', async () => {
    const first = await openBusy();
    for (let count = 1; count < TOTAL; count += 1) await openBusy();
    begun[0]?.end('answered');
    await answerOn(first);
    const closed = once(first, 'close');
    await open();
    await closed;
  });

  it('are refused with 503 when all are busy, until one is closed', async () => {
    const [first] = await Promise.all([openBusy()]);
    for (let count = 1; count < TOTAL; count += 1) await openBusy();
    const refused = await answerOn(await open());
    expect(refused).toMatch(/^HTTP\/1.1 503 .*\r\nRetry-After: \d+\r\nConnection: close\r\n/s);
    expect(refused).toMatch(/\{"message":"503 Service Unavailable"\}$/);
    const response = begun[0];
    first.destroy();
    await once(response as ServerResponse, 'close');
    await openBusy();
  });

  it('are refused with 429 when an address exceeds its share', async () => {
    for (let count = 0; count < PER_ADDRESS; count += 1) await openBusy(LIMITED);
    expect(await answerOn(await open(LIMITED))).toMatch(/^HTTP\/1.1 429 .*\r\nRetry-After: \d+/s);
    await openBusy();
  });

  it('of an address replace only idle ones of that address', async () => {
    const others = await open();
    const [idle] = [await open(LIMITED), await open(LIMITED)];
    const closed = once(idle, 'close');
    await open(LIMITED);
    await closed;
    others.write(REQUEST);
    await once(server, 'request');
    expect(begun).toHaveLength(1);
  });
});
