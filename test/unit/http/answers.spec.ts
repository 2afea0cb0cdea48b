import request from 'supertest';
import { tinyApp, type TinyApp } from './support/tiny-app.js';

const API = '/api/v3';

describe.each([
  ['spec', 200],
  ['gitlab', 201],
] as const)('the status profile %s', (statusProfile, created) => {
  let tiny: TinyApp;

  beforeAll(async () => {
    tiny = await tinyApp({ statusProfile: () => statusProfile });
  });

  afterAll(() => tiny.close());

  const server = () => request(tiny.app.getHttpServer());

  it('sets the status of POST only', async () => {
    await server().post(`${API}/things`).send({ title: 'x' }).expect(created, { title: 'x' });
    await server().put(`${API}/things/5`).send({ title: 'x' }).expect(200);
    await server().get(`${API}/things/5`).expect(200);
    await server().delete(`${API}/things/5`).expect(200);
    await server().post(`${API}/things`).send({}).expect(400, { error: 'title is missing' });
  });

  it('leaves fixed statuses alone', async () => {
    await server().post(`${API}/people/1/keys`).expect(201, { id: 1 });
    const share = await server().delete(`${API}/people/1/share`).expect(204);
    expect(share.text).toBe('');
    expect(share.headers).not.toHaveProperty('content-type');
    const star = await server().post(`${API}/things/1/star`).expect(304);
    expect(star.text).toBe('');
    expect(star.headers).not.toHaveProperty('content-type');
  });
});

describe('answers', () => {
  let tiny: TinyApp;

  beforeAll(async () => {
    tiny = await tinyApp();
  });

  afterAll(() => tiny.close());

  const get = (path: string) => request(tiny.app.getHttpServer()).get(`${API}/odd/${path}`);

  it.each([
    ['true', 'true'],
    ['number', '7'],
    ['text', '"a \\"text\\""'],
    ['nothing', 'null'],
  ])('sends the scalar %s as JSON', async (path, text) => {
    const response = await get(path).expect(200);
    expect(response.text).toBe(text);
    expect(response.headers['content-type']).toBe('application/json');
  });

  it('sends serialized JSON unchanged', async () => {
    const response = await get('serialized').expect(200, { a: 'ä' });
    expect(response.headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': '10',
    });
  });

  it('adds page headers to a serialized list', async () => {
    const response = await get('serialized-page?page=2&per_page=1').expect(200, ['ä']);
    expect(response.headers).toMatchObject({
      'x-total': '3',
      'x-page': '2',
      'x-next-page': '3',
      link: expect.stringContaining(
        '/odd/serialized-page?page=3&per_page=1>; rel="next"',
      ) as string,
    });
  });

  describe('validators', () => {
    const tagOf = async (path: string) => (await get(path).expect(200)).headers['etag'] as string;
    const ask = (path: string, tag: string) => get(path).set('If-None-Match', tag);

    it.each(['text', 'nothing', 'serialized', 'serialized-page', 'versioned?version=a'])(
      'return 304 to a client with the current version of %s',
      async (path) => {
        const tag = await tagOf(path);
        expect(tag).toMatch(/^W\/"[\w-]{22}"$/);
        for (const known of [tag, tag.slice(2), `"other", ${tag}`, '*']) {
          const answer = await ask(path, known).expect(304);
          expect(answer.text).toBe('');
          expect(answer.headers).toMatchObject({ etag: tag, 'cache-control': 'private, no-cache' });
          expect(answer.headers).not.toHaveProperty('content-type');
        }
        await ask(path, '"other"').expect(200);
        await ask(path, tag).set('Cache-Control', 'no-cache').expect(200);
        const head = request(tiny.app.getHttpServer()).head(`${API}/odd/${path}`);
        await head.set('If-None-Match', tag).expect(304);
      },
    );

    it('differ with the headers of pages', async () => {
      const first = await tagOf('serialized-page?per_page=1');
      expect(await tagOf('serialized-page?per_page=2')).not.toBe(first);
    });

    it('are compared before an answer with a version is made', async () => {
      const tag = await tagOf('versioned?version=b');
      const { made } = (await get('versioned?version=a').expect(200)).body as { made: number };
      await ask('versioned?version=b', tag).expect(304);
      await ask('versioned?version=c', tag).expect(200, { made: made + 1 });
    });

    it('are not sent with errors', async () => {
      const refusal = await get('versioned-refusal').expect(404);
      expect(refusal.headers).not.toHaveProperty('etag');
    });

    it('are not sent with responses to writes', async () => {
      const answer = await request(tiny.app.getHttpServer())
        .post(`${API}/things`)
        .set('If-None-Match', '*')
        .send({ title: 'x' })
        .expect(200);
      expect(answer.headers).toMatchObject({ 'cache-control': 'no-store' });
      expect(answer.headers).not.toHaveProperty('etag');
    });
  });

  it('returns the headers of GET to HEAD', async () => {
    const response = await request(tiny.app.getHttpServer()).head(`${API}/odd/serialized`);
    expect([response.status, response.headers['content-length'], response.text]).toEqual([
      200,
      '10',
      undefined,
    ]);
  });

  it('sends an empty body on request of the handler', async () => {
    const response = await request(tiny.app.getHttpServer()).delete(`${API}/things/5`).expect(200);
    expect(response.headers['content-length']).toBe('0');
    expect(response.text).toBe('');
  });

  it('skips streams and handlers that respond directly', async () => {
    const stream = await get('stream').expect(200);
    expect(stream.headers['content-type']).toBe('application/octet-stream');
    const own = await get('own').expect(202);
    expect(own.text).toBe('own');
  });

  it('sends the same few headers with every answer', async () => {
    const response = await get('true')
      .set('Accept', 'text/html')
      .set('Origin', 'https://x.example');
    expect(response.headers).toMatchObject({
      'cache-control': 'private, no-cache',
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.any(String) as string,
      'access-control-allow-origin': '*',
    });
    for (const name of ['x-powered-by', 'www-authenticate']) {
      expect(response.headers).not.toHaveProperty(name);
    }
  });

  it('replaces the body by validated parameters', async () => {
    const post = request(tiny.app.getHttpServer()).post(`${API}/things?title=query`);
    await post
      .send({ skype: 'old', assignee_id: 0, public: 'yes', id: 9 })
      .expect(200, { title: 'query', messenger: 'old', assignee_id: null, public: true });
  });

  it('prefers a path value', () =>
    request(tiny.app.getHttpServer())
      .put(`${API}/things/5?id=6`)
      .send({ id: 7, description: null })
      .expect(200, { id: '5', description: null }));
});
