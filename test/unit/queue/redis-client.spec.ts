import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { connectRedis } from '../../../src/platform/redis/index.js';

describe('a Redis that takes connections and answers nothing', () => {
  let server: Server;
  let address: string;
  const sockets = new Set<Socket>();

  beforeAll(async () => {
    server = createServer((socket) => {
      sockets.add(socket.on('error', () => undefined));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  it.each([
    ['a server', () => `redis://${address}`],
    ['Sentinels', () => `redis+sentinel://${address},${address}?master=m`],
    ['a cluster', () => `redis+cluster://${address}`],
  ])('makes commands fail in time: %s', async (_, url) => {
    const client = connectRedis(url(), { commandMs: 50, silenceMs: 50 }, () => undefined);
    await expect(client.get('key')).rejects.toThrow();
    client.disconnect();
  });

  it('gets another connection in place of one that is silent', async () => {
    const client = connectRedis(`redis://${address}`, { silenceMs: 20 }, () => undefined);
    const [first] = (await once(server, 'connection')) as [Socket];
    const [second] = (await once(server, 'connection')) as [Socket];
    expect(second.remotePort).not.toBe(first.remotePort);
    client.disconnect();
  });
});
