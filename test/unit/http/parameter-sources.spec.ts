import request from 'supertest';
import { tinyApp, type TinyApp } from './support/tiny-app.js';

const ECHO = '/api/v3/odd/echo';
const FORM = 'application/x-www-form-urlencoded';

describe('sources of parameters', () => {
  let tiny: TinyApp;

  beforeAll(async () => {
    tiny = await tinyApp();
  });

  afterAll(() => tiny.close());

  const server = () => request(tiny.app.getHttpServer());

  it('reads the query string with every verb', async () => {
    await server().get(`${ECHO}?a=1&b=%C3%A4+x`).expect(200, { a: '1', b: 'ä x' });
    await server().post(`${ECHO}?a=1`).expect(200, { a: '1' });
    await server().delete(`${ECHO}?a=1`).expect(200, { a: '1' });
    await server().put(`${ECHO}?a=1&`).expect(200, { a: '1' });
    await server().get(`${ECHO}?`).expect(200, {});
  });

  it.each(['post', 'put', 'delete'] as const)('prefers a form body to the query (%s)', (verb) =>
    server()
      [verb](`${ECHO}?a=query&q=1`)
      .type('form')
      .send('a=body&b=2')
      .expect(200, { a: 'body', b: '2', q: '1' }),
  );

  it.each(['post', 'put', 'delete'] as const)('reads a JSON body (%s)', (verb) =>
    server()
      [verb](`${ECHO}?a=query`)
      .send({ a: null, n: 5, deep: { list: [1, { x: true }] } })
      .expect(200, { a: null, n: 5, deep: { list: [1, { x: true }] } }),
  );

  it('ignores the charset of JSON', () =>
    server()
      .post(ECHO)
      .set('Content-Type', 'application/json; charset=iso-8859-1')
      .send(JSON.stringify({ a: 'ä' }))
      .expect(200, { a: 'ä' }));

  it.each(['put', 'post'] as const)('reads multipart fields and drops files (%s)', (verb) =>
    server()
      [verb](ECHO)
      .field('title', 'ä')
      .field('ids[]', '4')
      .field('ids[]', '7')
      .attach('file', Buffer.alloc(50_000, 1), 'x.bin')
      .field('after', 'yes')
      .expect(200, { title: 'ä', ids: ['4', '7'], after: 'yes' }),
  );

  it('reads a body without a type as a form', async () => {
    const response = await fetchRaw(tiny, 'POST', ECHO, { 'content-length': '3' }, 'a=1');
    expect(response).toEqual({ status: 200, body: { a: '1' } });
  });

  it('ignores the body of GET', async () => {
    const headers = { 'content-type': 'application/json' };
    expect(await fetchRaw(tiny, 'GET', `${ECHO}?a=1`, headers, '{}')).toMatchObject({
      body: { a: '1' },
    });
    expect(await fetchRaw(tiny, 'GET', ECHO, headers, '{"broken')).toMatchObject({ status: 200 });
    expect(
      await fetchRaw(tiny, 'GET', ECHO, { 'content-type': 'text/x-odd' }, 'a=1'),
    ).toMatchObject({ status: 200, body: {} });
  });

  it.each([
    'application/json',
    FORM,
    'multipart/form-data; boundary=x',
    'multipart/form-data',
    'a/b',
  ])('treats an empty body of type %s as no parameters', async (type) => {
    const headers = { 'content-type': type };
    expect(await fetchRaw(tiny, 'POST', ECHO, headers, '')).toEqual({ status: 200, body: {} });
    const chunked = { ...headers, 'transfer-encoding': 'chunked' };
    expect(await fetchRaw(tiny, 'PUT', ECHO, chunked, '')).toEqual({ status: 200, body: {} });
  });

  it('parses nested form fields', () =>
    server()
      .post(ECHO)
      .type('form')
      .send('actions[][action]=create&actions[][path]=a&actions[][action]=delete&iid[]=4&iid[]=7')
      .send('o[a][b]=1&o[a][c]=2&l[0]=x&l[1]=y&x[=1')
      .expect(200, {
        actions: [{ action: 'create', path: 'a' }, { action: 'delete' }],
        iid: ['4', '7'],
        o: { a: { b: '1', c: '2' } },
        l: { 0: 'x', 1: 'y' },
        'x[': '1',
      }));

  it('uses the last of a repeated scalar', async () => {
    await server()
      .get(`${ECHO}?per_page=2&page=2&per_page=3`)
      .expect(200, { per_page: '3', page: '2' });
    await server().get(`${ECHO}?a[]=1&a=2`).expect(200, { a: '2' });
    await server()
      .get(`${ECHO}?a=1&a[b]=2`)
      .expect(200, { a: { b: '2' } });
  });

  it.each(['?', '?a&', '?a[]&a[b]&', '?%ff&'])(
    'treats a key without = as absent, in the query and in forms (%s)',
    async (keys) => {
      await server().get(`${ECHO}${keys}b=`).expect(200, { b: '' });
      await server()
        .put(`${ECHO}?a=1`)
        .type('form')
        .send(`${keys.slice(1)}b=2`)
        .expect(200, { a: '1', b: '2' });
    },
  );

  it('refuses a body of an unknown media type', () =>
    server()
      .post(ECHO)
      .set('Content-Type', 'text/csv; header=present')
      .send('a,b')
      .expect(415, { error: "The provided content-type 'text/csv' is not supported." }));

  it('does not decompress bodies', () =>
    server()
      .post(ECHO)
      .set('Content-Type', 'application/json')
      .set('Content-Encoding', 'gzip')
      .send('{}')
      .expect(415, { error: "The provided content-encoding 'gzip' is not supported." }));

  it.each(['{"a":', '{"a":1}x', 'nul', '\u00ff'])('refuses %s, which is not JSON', (body) =>
    server()
      .post(ECHO)
      .set('Content-Type', 'application/json')
      .send(body)
      .expect(400, { error: 'The request body is not valid JSON' }),
  );

  it.each(['null', ' null\n', '[]', '[{"a":1}]', '5', 'true', '"a"', ' '])(
    'treats %s, which is not an object, as an empty body',
    (body) =>
      server()
        .put(`${ECHO}?q=1`)
        .set('Content-Type', 'application/json')
        .send(body)
        .expect(200, { q: '1' }),
  );

  it('refuses a malformed multipart body', () =>
    server()
      .post(ECHO)
      .set('Content-Type', 'multipart/form-data; boundary=x')
      .send('--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1')
      .expect(400, { error: 'The request body is not valid form data' }));

  it('reports an unknown route or caller before errors of the body', async () => {
    const broken = () => server().post('/api/v3/nowhere').set('Content-Type', 'application/json');
    await broken().send('{').expect(404);
    await server()
      .post(`${ECHO}?private_token=wrong`)
      .set('Content-Type', 'application/json')
      .send('{')
      .expect(401, { message: '401 Unauthorized' });
  });
});

describe('credentials', () => {
  let tiny: TinyApp;

  beforeAll(async () => {
    tiny = await tinyApp();
  });

  afterAll(() => tiny.close());

  const path = '/api/v3/odd/credential';
  const get = (query = '') => request(tiny.app.getHttpServer()).get(path + query);

  it('prefers the parameter, then the header, then the bearer token', async () => {
    const all = () =>
      get('?private_token=p').set('PRIVATE-TOKEN', 'h').auth('b', { type: 'bearer' });
    await all().expect(200, { token: 'p' });
    await get('?private_token=%20').set('PRIVATE-TOKEN', 'h').expect(200, { token: 'h' });
    await get().set('PRIVATE-TOKEN', '').auth('b', { type: 'bearer' }).expect(200, { token: 'b' });
    await get().set('Authorization', 'Basic eDp5').expect(200, {});
    await get('?private_token[a]=1').expect(200, {});
    await get('?private_token').set('PRIVATE-TOKEN', 'h').expect(200, { token: 'h' });
  });

  it('finds token and sudo in the body of a DELETE', () =>
    request(tiny.app.getHttpServer())
      .delete(path)
      .type('form')
      .send('private_token=t&sudo=zoe')
      .set('SUDO', 'other')
      .expect(200, { token: 't', sudo: 'zoe' }));

  it('accepts sudo as header and as JSON number', async () => {
    await get().set('SUDO', '5').expect(200, { sudo: '5' });
    await request(tiny.app.getHttpServer())
      .delete(path)
      .send({ sudo: 5 })
      .expect(200, { sudo: '5' });
  });
});

/** Sends exactly these headers and bytes, which no HTTP library would. */
async function fetchRaw(
  tiny: TinyApp,
  method: string,
  path: string,
  headers: Record<string, string>,
  body: string,
): Promise<{ status: number; body: unknown }> {
  const { request: open } = await import('node:http');
  const { port } = tiny.app.getHttpServer().address() as { port: number };
  return new Promise((resolve, reject) => {
    const length = 'transfer-encoding' in headers ? {} : { 'content-length': String(body.length) };
    const sent = open({ port, method, path, headers: { ...length, ...headers } }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) as unknown }),
      );
    });
    sent.on('error', reject).end(body);
  });
}
