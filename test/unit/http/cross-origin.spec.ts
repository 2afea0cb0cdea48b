import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import request from 'supertest';
import { tinyApp, type TinyApp } from './support/tiny-app.js';

const API = '/api/v3';
const ALLOWED = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': '*',
};

describe('the API for pages of other origins', () => {
  let tiny: TinyApp;

  beforeEach(async () => {
    tiny = await tinyApp();
  });
  afterEach(() => tiny.close());

  const server = () => request(tiny.app.getHttpServer());
  const preflight = (path: string, headers: Record<string, string> = {}) =>
    server()
      .options(path)
      .set({
        Origin: 'https://elsewhere.example',
        'Access-Control-Request-Method': 'PUT',
        ...headers,
      });
  const open = async () => {
    const { port } = tiny.app.getHttpServer().address() as AddressInfo;
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return socket;
  };

  it('answers with the headers that permit reading, for every status', async () => {
    const answers = [
      [await server().get(`${API}/things`), 200],
      [await server().head(`${API}/things`), 200],
      [await server().get(`/${API}//things/`), 200],
      [await server().get(`${API}/odd/stream`), 200],
      [await server().post(`${API}/people/1/keys`), 201],
      [await server().delete(`${API}/people/1/share`), 204],
      [await server().post(`${API}/things/1/star`), 304],
      [await server().get(`${API}/odd/versioned`).set('If-None-Match', '*'), 304],
      [await server().post(`${API}/things`), 400],
      [await server().get(`${API}/things/%ff`), 400],
      [await server().get(`${API}/things?private_token=wrong`), 401],
      [await server().get(`${API}/odd/missing`), 404],
      [await server().get(`${API}/unknown`), 404],
      [await server().get(`${API}/users/unrouted`), 404],
      [await server().get(API), 404],
      [await server().patch(`${API}/things`), 405],
      [await server().options(`${API}/things`), 405],
      [await server().post(`${API}/odd/echo`).send('x'.repeat(2_000_000)), 413],
      [await server().post(`${API}/odd/echo`).type('image/png').send('x'), 415],
      [await server().get(`${API}/odd/broken`), 500],
      [await server().get(`${API}/odd/store`), 503],
    ] as const;
    for (const [{ status, headers, text: body }, expected] of answers) {
      const seen = { status, headers, body };
      expect(seen).toEqual({ ...seen, status: expected });
      expect(headers).toMatchObject(ALLOWED);
      expect(headers).not.toHaveProperty('access-control-allow-credentials');
    }
  });

  it('sends them with refusals of requests that cannot be read', async () => {
    const socket = await open();
    socket.end(`GET ${API}/things?${'x'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`);
    const answer = await text(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 431 /);
    expect(answer).toMatch(/\r\nAccess-Control-Allow-Origin: \*\r\n/);
  });

  it('sends them with refusals of a draining process', async () => {
    const held = await open();
    held.write(`POST ${API}/odd/echo HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n`);
    const kept = await open();
    const path = `GET ${API}/things/1 HTTP/1.1\r\n`;
    kept.write(`${path}Host: x\r\n\r\n${path}`);
    await once(kept, 'data');
    const drained = tiny.drain.drain();
    kept.write('Host: x\r\n\r\n');
    const answer = await text(kept);
    expect(answer).toMatch(/^HTTP\/1\.1 503 /);
    expect(answer).toMatch(/\r\nAccess-Control-Allow-Origin: \*\r\n/);
    held.end('a=1');
    await drained;
  });

  it('allows the requested headers in preflights', async () => {
    const paths = [
      '/things',
      '/things/1',
      '/odd/broken',
      '/unknown',
      '/users/unrouted',
      '',
      '//things/',
    ];
    for (const path of paths) {
      const asked = 'authorization, private-token,SUDO,x-other';
      const { headers, text: body } = await preflight(API + path, {
        'Access-Control-Request-Headers': asked,
      }).expect(200);
      expect([path, body, headers]).toMatchObject([
        path,
        '',
        {
          ...ALLOWED,
          'access-control-allow-headers': asked,
          'access-control-allow-methods': 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT',
          'content-length': '0',
        },
      ]);
      expect(headers).not.toHaveProperty('access-control-allow-credentials');
    }
    const { headers } = await preflight(`${API}/things`).expect(200);
    expect(headers).toMatchObject(ALLOWED);
    expect(headers).not.toHaveProperty('access-control-allow-headers');
  });

  it('allows neither long lists of headers nor malformed names', async () => {
    for (const asked of [
      'a'.repeat(1_025),
      Array.from({ length: 400 }, (_, index) => `x-${String(index)}`).join(),
      'a;b',
      'a: b',
      '<a>',
      'ä',
    ]) {
      const answer = await preflight(`${API}/things`, { 'Access-Control-Request-Headers': asked });
      expect([asked, answer.status]).toEqual([asked, 200]);
      expect(answer.headers).not.toHaveProperty('access-control-allow-headers');
    }
  });

  it('leaves pages, the explorer and Git without these headers', async () => {
    for (const path of [
      '/healthz',
      '/unknown',
      '/api',
      '/api/v30/things',
      `${API}/docs`,
      `${API}/docs/x`,
    ]) {
      for (const answer of [await server().get(path), await preflight(path)]) {
        const found = Object.keys(answer.headers).filter((name) =>
          name.startsWith('access-control'),
        );
        expect([path, found]).toEqual([path, []]);
      }
      expect((await preflight(path)).status).not.toBe(200);
    }
  });
});
