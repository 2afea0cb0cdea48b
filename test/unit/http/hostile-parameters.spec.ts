import { once } from 'node:events';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import request from 'supertest';
import { KNOWN_TOKEN, tinyApp, type TinyApp } from './support/tiny-app.js';

const ECHO = '/api/v3/odd/echo';

describe('hostile parameters', () => {
  let tiny: TinyApp;

  beforeAll(async () => {
    tiny = await tinyApp();
  });

  afterAll(() => tiny.close());

  const server = () => request(tiny.app.getHttpServer());
  const json = (body: string) =>
    server()
      .post(ECHO)
      .set('PRIVATE-TOKEN', KNOWN_TOKEN)
      .set('Content-Type', 'application/json')
      .send(body);
  const form = (body: string) =>
    server().post(ECHO).set('PRIVATE-TOKEN', KNOWN_TOKEN).type('form').send(body);

  it('refuses NUL in values and names, from every source', async () => {
    await server().get(`${ECHO}?a=x%00`).expect(400, { error: 'a is invalid' });
    await server().get(`${ECHO}?a%00b=x`).expect(400, { error: 'ab is invalid' });
    await form('a[]=1&a[]=%00').expect(400, { error: 'a is invalid' });
    await json('{"t":"\\u0000"}').expect(400, { error: 't is invalid' });
    await json('{"t":[{"x":{"y":"\\u0000"}}]}').expect(400, { error: 't is invalid' });
    await json('{"t":{"a\\u0000":1}}').expect(400, { error: 't is invalid' });
    await server().put(ECHO).field('a', 'b\u0000').expect(400, { error: 'a is invalid' });
  });

  it('refuses invalid escapes and escapes that are not UTF-8', async () => {
    await server().get(`${ECHO}?search=100%`).expect(400, { error: 'search is invalid' });
    await form('a=%ff').expect(400, { error: 'a is invalid' });
    await form('%ff=a').expect(400, { error: '%ff is invalid' });
  });

  it('refuses bytes that are not UTF-8', async () => {
    const bytes = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff]), Buffer.from('"}')]);
    const post = (type: string) => server().post(ECHO).set('Content-Type', type);
    await post('application/json')
      .serialize((body: Buffer) => body as unknown as string)
      .send(bytes)
      .expect(400, { error: 'The request body is not valid JSON' });
    await post('application/x-www-form-urlencoded')
      .serialize((body: Buffer) => body as unknown as string)
      .send(bytes)
      .expect(400, { error: 'The request body is not valid form data' });
  });

  it('lets no name reach a prototype', async () => {
    await form('__proto__[x]=1&a[__proto__][x]=1&constructor[prototype][x]=1&a[b]=2').expect(200, {
      constructor: { prototype: { x: '1' } },
      a: { b: '2' },
    });
    await json('{"__proto__":{"x":1},"a":{"__proto__":{"x":1},"b":2},"constructor":"y"}').expect(
      200,
      { a: { b: 2 }, constructor: 'y' },
    );
    await server()
      .post('/api/v3/things')
      .send({ title: 'x', constructor: 'y', toString: 'z', hasOwnProperty: 1 })
      .expect(200, { title: 'x' });
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });

  it('refuses deep nesting without walking it recursively', async () => {
    const depth = 9_000;
    await json(`{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`).expect(400, {
      error: 'a is invalid',
    });
    await json('['.repeat(depth)).expect(400, { error: 'The request body is not valid JSON' });
    await json('['.repeat(200_000)).expect(400, { error: 'too many parameters' });
    await form(`a${'[b]'.repeat(20_000)}=1`).expect(400, { error: 'a is invalid' });
    await form(`a${'['.repeat(100_000)}=1`).expect(200);
  });

  it('refuses a hundred thousand fields', async () => {
    const many = Array.from({ length: 100_000 }, (_, index) => `p${index}=1`).join('&');
    await form(many).expect(400, { error: 'too many parameters' });
    const repeated = 'a[]=1&'.repeat(100_000);
    await form(repeated).expect(400, { error: 'too many parameters' });
    await form('a&'.repeat(100_000)).expect(400, { error: 'too many parameters' });
    await form('a[][b]=1&'.repeat(9_000)).expect(200);
  });

  it('counts the values of nested JSON before it is parsed', async () => {
    const tooMany = { error: 'too many parameters' };
    for (const value of ['1', '{}', '[]', 'null', '"\\\\"', '{"a":[]}']) {
      await json(`{"a":[${Array(20_000).fill(value).join(',')}]}`).expect(400, tooMany);
    }
    const names = Array.from({ length: 20_000 }, (_, index) => `"${String(index)}":1`);
    await json(`{${names.join(',')}}`).expect(400, tooMany);
    // Those within strings are none.
    const text = '[{,\\"'.repeat(50_000);
    await json(JSON.stringify({ a: text })).expect(200, { a: text });
  });

  it('limits unauthenticated callers to 64 KiB', async () => {
    const send = (type: string, size: number, token = 'an-unknown-token') =>
      server()
        .post(ECHO)
        .set('PRIVATE-TOKEN', token)
        .set('Content-Type', type)
        .send(
          type === 'application/json' ? `{"a":"${'x'.repeat(size)}"}` : `a=${'x'.repeat(size)}`,
        );
    for (const type of ['application/json', 'application/x-www-form-urlencoded']) {
      await send(type, 60_000).expect(200);
      await send(type, 70_000).expect(413, { message: '413 Request Entity Too Large' });
      await send(type, 70_000, KNOWN_TOKEN).expect(200);
      // A text of 1 MiB, and what stands around it.
      await send(type, 1_110_000, KNOWN_TOKEN).expect(200);
      await send(type, 1_115_000, KNOWN_TOKEN).expect(413);
    }
  });

  const text = 'x'.repeat(500_000);
  /** Sends a body without its length. @returns the status */
  const chunked = async (body: string, headers: Record<string, string>): Promise<number> => {
    const { port } = tiny.app.getHttpServer().address() as { port: number };
    const outgoing = httpRequest({ port, path: ECHO, method: 'POST', headers });
    outgoing.write(body);
    outgoing.end();
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    response.resume();
    return response.statusCode ?? 0;
  };

  it.each([
    ['begins with its token', 200, `private_token=${KNOWN_TOKEN}&a=${text}`],
    ['ends in its token', 200, `a=${text}&private_token=${KNOWN_TOKEN}`],
    ['has its token in the middle', 200, `a=${text}&private_token=${KNOWN_TOKEN}&b=1`],
    ['has an unknown token', 413, `a=${text}&private_token=an-unknown-token`],
    ['has a token under another name', 413, `a=${text}&a.private_token=${KNOWN_TOKEN}`],
    ['is longer than 1 MiB', 413, `private_token=${KNOWN_TOKEN}&a=${text}${text}${text}`],
  ])('answers a form of an unknown caller that %s with %i', async (_, status, body) => {
    await server().post(ECHO).type('form').send(body).expect(status);
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    expect(await chunked(body, headers)).toBe(status);
  });

  it('refuses a token in JSON of more than 64 KiB', async () => {
    const small = JSON.stringify({ private_token: KNOWN_TOKEN, a: 'x' });
    await server().post(ECHO).type('json').send(small).expect(200);
    const large = JSON.stringify({ private_token: KNOWN_TOKEN, a: text });
    await server().post(ECHO).type('json').send(large).expect(413);
  });

  it('takes chunked bodies of callers whose token is in a header, up to the limit of the route', async () => {
    const send = (size: number, token: string) =>
      chunked(JSON.stringify({ a: 'x'.repeat(size) }), {
        'content-type': 'application/json',
        'private-token': token,
      });
    expect(await send(60_000, 'an-unknown-token')).toBe(200);
    expect(await send(70_000, 'an-unknown-token')).toBe(413);
    expect(await send(1_100_000, KNOWN_TOKEN)).toBe(200);
    expect(await send(1_200_000, KNOWN_TOKEN)).toBe(413);
  });

  it.each([
    ['json', 'application/json', `{"a":"${'x'.repeat(21 * 1024 * 1024)}"}`],
    ['form', 'application/x-www-form-urlencoded', `a=${'x'.repeat(21 * 1024 * 1024)}`],
  ])('refuses 21 MiB of %s and keeps serving', async (_, type, body) => {
    await server()
      .post(ECHO)
      .set('Content-Type', type)
      .send(body)
      .expect(413, { message: '413 Request Entity Too Large' });
    await server().get(`${ECHO}?a=1`).expect(200);
  });

  it('refuses 21 MiB of an unknown type and keeps serving', async () => {
    await server()
      .post(ECHO)
      .set('Content-Type', 'text/csv')
      .send('x'.repeat(21 * 1024 * 1024))
      .expect(415, { error: "The provided content-type 'text/csv' is not supported." });
    await server().get(`${ECHO}?a=1`).expect(200);
  });

  it('refuses 21 MiB of multipart files', () =>
    server()
      .post(ECHO)
      .attach('file', Buffer.alloc(21 * 1024 * 1024), 'x.bin')
      .expect(413, { message: '413 Request Entity Too Large' }));

  it('refuses a body with a very large announced length, and closes', async () => {
    const answer = await rawAnswer(
      tiny,
      `POST ${ECHO} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99999999999\r\n\r\n{`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toMatch(/\r\nConnection: close\r\n/i);
  });

  it('reads a body to its end after the answer where the client asks to close', async () => {
    const { port } = tiny.app.getHttpServer().address() as { port: number };
    const size = 16 * 1024 * 1024;
    const socket = connect(port).setEncoding('utf8').pause();
    const head = `POST /api/v3/nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${size}\r\n\r\n`;
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.write(head);
      socket.write(Buffer.alloc(size, 'x'), () => resolve());
    });
    let answer = '';
    for await (const text of socket) answer += text as string;
    expect(answer).toMatch(/^HTTP\/1\.1 404 /);
    expect(answer).toContain('{"error":"404 Not Found"}');
  });

  it('survives a client that disconnects during a body', async () => {
    const socket = connect((tiny.app.getHttpServer().address() as { port: number }).port);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.write(
      `POST ${ECHO} HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 500\r\n\r\n--x\r\n`,
      () => socket.destroy(),
    );
    await closed;
    await server().get(ECHO).expect(200);
  });
});

/** Everything the server says to these bytes until it closes the connection. */
function rawAnswer(tiny: TinyApp, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect((tiny.app.getHttpServer().address() as { port: number }).port);
    let answer = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => (answer += chunk));
    socket.on('close', () => resolve(answer)).on('error', reject);
    socket.write(bytes);
  });
}
