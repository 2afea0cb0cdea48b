import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { RemoteServer } from '../../../src/cli/import/server/remote-server.js';
import { RemoteRecord } from '../../../src/cli/import/server/remote-record.js';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

describe('reading another server', () => {
  let server: Server;
  let answer: Answer;
  let requests: string[];
  let remote: RemoteServer;

  beforeEach(async () => {
    requests = [];
    server = createServer((request, response) => {
      requests.push(request.url ?? '');
      answer(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    remote = RemoteServer.at(`http://127.0.0.1:${String(port)}/`, 'token', { pauseMs: 1 });
  });
  afterEach(() => new Promise((resolve) => server.close(resolve)));

  function breakOff(response: ServerResponse): void {
    response.writeHead(200, { 'Content-Length': '100' });
    response.write('{"id":', () => response.destroy());
  }

  const json = (value: unknown, headers: Record<string, string> = {}): Answer => {
    return (_, response) => response.writeHead(200, headers).end(JSON.stringify(value));
  };

  async function idsOf(path: string): Promise<number[]> {
    const ids: number[] = [];
    for await (const record of remote.list(path)) ids.push(record.integer('id'));
    return ids;
  }

  const pageOf = (request: IncomingMessage): number =>
    Number(new URL(request.url ?? '', 'http://x').searchParams.get('page'));

  it.each<[string, (page: number) => Record<string, string>]>([
    ['X-Next-Page', (page) => ({ 'X-Next-Page': page < 3 ? String(page + 1) : '' })],
    [
      'Link',
      (page) => ({ Link: page < 3 ? '<http://other/?page=9>; rel="next"' : '<x>; rel="first"' }),
    ],
  ])('follows pages by %s, and no address', async (_, headers) => {
    answer = (request, response) => {
      const page = pageOf(request);
      response.writeHead(200, headers(page)).end(JSON.stringify([{ id: page }]));
    };
    expect(await idsOf('/x')).toEqual([1, 2, 3]);
    expect(requests[1]).toBe('/api/v3/x?page=2&per_page=100');
  });

  it('accepts lists without pages, and those with the same items on every page', async () => {
    const many = Array.from({ length: 150 }, (_, index) => ({ id: index + 1 }));
    answer = json(many);
    expect(await idsOf('/x')).toHaveLength(150);
    answer = json([{ id: 1 }], { 'X-Next-Page': '2' });
    expect(await idsOf('/x')).toEqual([1]);
  });

  it('requests the account once, without retries', async () => {
    answer = (_, response) => response.writeHead(503).end();
    await expect(remote.owner()).rejects.toThrow('cannot be reached for /user: status 503');
    expect(requests).toEqual(['/api/v3/user']);
    await expect(remote.get('/x')).rejects.toThrow('cannot be reached');
    expect(requests).toHaveLength(6);
  });

  it('stops at a repeated page', async () => {
    answer = (request, response) => {
      const id = Math.min(pageOf(request), 2);
      response.writeHead(200, { 'X-Next-Page': '3' }).end(JSON.stringify([{ id }]));
    };
    expect(await idsOf('/x')).toEqual([1, 2]);
  });

  it('reads smaller pages of long texts', async () => {
    const text = 'x'.repeat(4 * 1024 * 1024);
    answer = (request, response) => {
      const size = Number(new URL(request.url ?? '', 'http://x').searchParams.get('per_page'));
      const first = (pageOf(request) - 1) * size;
      const ids = Array.from(
        { length: Math.min(size, 12 - first) },
        (_, index) => first + index + 1,
      );
      response.end(JSON.stringify(ids.map((id) => ({ id, text }))));
    };
    expect(await idsOf('/x')).toEqual(Array.from({ length: 12 }, (_, index) => index + 1));
  });

  it.each<[string, Answer, RegExp]>([
    [
      'a redirect',
      (_, response) => response.writeHead(302, { Location: 'http://127.0.0.1:1/' }).end(),
      /redirects elsewhere/,
    ],
    ['a wrong token', (_, response) => response.writeHead(401).end(), /token is not accepted/],
    ['what is no JSON', (_, response) => response.end('<html>'), /does not answer JSON/],
    ['a list', json([]), /has no records/],
    [
      'an answer without end',
      (_, response) => {
        const chunk = Buffer.alloc(1024 * 1024, ' ');
        const write = (): void => {
          while (response.write(chunk));
          response.once('drain', write);
        };
        write();
      },
      /answers too much/,
    ],
    ['a server that is down', (_, response) => response.writeHead(503).end(), /cannot be reached/],
    ['a connection that breaks', (request) => request.destroy(), /cannot be reached/],
    ['an answer that breaks off', (_, response) => breakOff(response), /cannot be reached/],
  ])('fails with a reason for %s', async (_, given, message) => {
    answer = given;
    await expect(remote.get('/user')).rejects.toThrow(message);
  });

  it('retries after an interrupted response', async () => {
    answer = (_, response) => {
      if (requests.length === 1) breakOff(response);
      else response.end('{"id":7}');
    };
    expect((await remote.get('/user')).integer('id')).toBe(7);
  });

  it('respects Retry-After', async () => {
    answer = (_, response) => {
      if (requests.length === 1) response.writeHead(429, { 'Retry-After': '0' }).end();
      else response.end('{"id":7}');
    };
    expect((await remote.get('/user')).integer('id')).toBe(7);
  });

  it('accepts only plain addresses', () => {
    expect(RemoteServer.at('https://git.example.com/root/api/v3/', 't').url).toBe(
      'https://git.example.com/root',
    );
    for (const url of ['git.example.com', 'ftp://x/', 'http://user:secret@x/', 'http://x/?a=1']) {
      expect(() => RemoteServer.at(url, 't')).toThrow('is not an address');
    }
  });

  it('checks fields, and removes characters that cannot be stored', () => {
    const record = new RemoteRecord(
      { title: ' a\0\n\ud800b ', long: '𝄞'.repeat(300), id: -1 },
      '/x',
    );
    expect(record.line('title')).toBe('a b');
    expect([...record.line('long')]).toHaveLength(255);
    expect(() => record.integer('id')).toThrow('/x: id is not as expected');
    expect(() => record.time('created_at')).toThrow('created_at');
    const levels = new RemoteRecord({ visibility_level: 7, priority: 0, due: '2016-02-31' }, '/x');
    expect([levels.visibility(), levels.optionalLevel('priority')]).toEqual(['private', 0]);
    expect(levels.optionalDay('due')).toBeNull();
    expect(new RemoteRecord({ due: '0000-01-01' }, '/x').optionalDay('due')).toBeNull();
    expect(() => new RemoteRecord({ iid: 2 ** 31 - 1 }, '/x').iid()).toThrow('iid');
    expect(new RemoteRecord({ due: '2016-02-29' }, '/x').optionalDay('due')).toBe('2016-02-29');
  });

  it.each(['2016-11-24T15:06:40.123Z', '2016-11-24T16:06:40.123+01:00'])(
    'reads the time %s',
    (created_at) => {
      const time = new RemoteRecord({ created_at }, '/x').time('created_at');
      expect(time.toISOString()).toBe('2016-11-24T15:06:40.123Z');
    },
  );

  it.each([
    ...['2016-11-24T15:06:40', '2016-11-24 15:06', '11/24/2016', '24 November 2016'],
    ...['2016', 'Thu, 24 Nov 2016 15:06:40 GMT', '+002016-11-24T15:06:40Z'],
  ])('refuses the time %p, which is not in the form of the interface', (created_at) => {
    const record = new RemoteRecord({ created_at }, '/x');
    expect(() => record.time('created_at')).toThrow('created_at is not as expected');
  });
});
