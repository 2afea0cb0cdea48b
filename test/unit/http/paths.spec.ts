import request from 'supertest';
import { type ApiFace } from '../../../src/platform/http/index.js';
import { withPlainSlashes } from '../../../src/platform/http/face/request-face.js';
import { V3, V4 } from '../../../src/faces/index.js';
import { tinyApp, type TinyApp } from './support/tiny-app.js';

const API = '/api/v3';

const routedBy = (face: ApiFace, path: string, verb = 'GET'): string =>
  face.normalize(withPlainSlashes(path), verb);

describe('paths as version 3 routes them', () => {
  it.each([
    ['/api/v3/projects/5/issues//7', '/api/v3/projects/5/issues/7'],
    ['//api//v3/projects/', '/api/v3/projects'],
    ['/api/v3/projects/5/issues/', '/api/v3/projects/5/issues'],
    ['/api/v3/projects.json', '/api/v3/projects'],
    ['/api/v3/projects/a%2Fb.json', '/api/v3/projects/a%2Fb'],
    ['/api/v3/projects/a%2F%2Fb', '/api/v3/projects/a%2F%2Fb'],
    ['/api/v3/projects/1/repository/branches/x.json', undefined],
    ['/api/v3/projects/1/repository/branches/a/x.json', undefined],
    ['/api/v3/projects/1/repository/branches/protect.json', undefined],
    ['/api/v3/projects/1/repository/branches.json', '/api/v3/projects/1/repository/branches'],
    ['/api/v3/projects/1/repository/tags/v1.json', undefined],
    ['/api/v3/projects/1/repository/commits/x.json', undefined],
    ['/api/v3/projects/1/repository/blobs/x.json', undefined],
    [
      '/api/v3/projects/1/repository/commits/abcd/diff.json',
      '/api/v3/projects/1/repository/commits/abcd/diff',
    ],
    ['/api/v3/openapi.json', undefined],
    [
      '/api/v3/projects/a%2Fb/merge_request/7/merge',
      '/api/v3/projects/a%2Fb/merge_requests/7/merge',
    ],
    ['/api/v3/projects//1/merge_request', '/api/v3/projects/1/merge_requests'],
    ['/api/v3/projects/1/merge_request_x', undefined],
    ['/api/v3/projects/a%2Fb/keys', '/api/v3/projects/a%2Fb/deploy_keys'],
    ['/api/v3/projects/1/keys/5/enable.json', '/api/v3/projects/1/deploy_keys/5/enable'],
    ['/api/v3/projects/1/repository/keys', undefined],
    ['/api/v3', undefined],
    ['/api/v3/', '/api/v3'],
    ['/api/v3/projects/1/merge_requests/7.json', '/api/v3/projects/1/merge_requests/7'],
    [
      '/api/v3/projects/merge_request/merge_request/7',
      '/api/v3/projects/merge_request/merge_requests/7',
    ],
  ])('%s', (path, routed) => {
    expect(routedBy(V3, path)).toBe(routed ?? path);
  });

  it.each([
    ['PUT', '/api/v3/x/branches/a/protect.json', '/api/v3/x/branches/a/protect'],
    ['PUT', '/api/v3/x/branches/a/x.json', undefined],
    ['GET', '/api/v3/x/branches/a/protect.json', undefined],
    ['POST', '/api/v3/x/tags/v1/release.json', '/api/v3/x/tags/v1/release'],
  ])('%s %s', (verb, path, routed) => {
    expect(routedBy(V3, path, verb)).toBe(routed ?? path);
  });
});

describe('paths as version 4 routes them', () => {
  it.each([
    ['/api/v4//projects/5/', '/api/v4/projects/5'],
    ['/api/v4/projects/5/repository/files/package.json', undefined],
    ['/api/v4/version.json', undefined],
    ['/api/v4/projects/5/merge_request/1', undefined],
    ['/api/v4/projects/5/keys', undefined],
  ])('%s', (path, routed) => {
    expect(routedBy(V4, path)).toBe(routed ?? path);
  });
});

describe('routing', () => {
  let tiny: TinyApp;

  beforeAll(async () => {
    tiny = await tinyApp();
  });

  afterAll(() => tiny.close());

  const get = (path: string) => request(tiny.app.getHttpServer()).get(path);

  it('decodes an encoded slash after routing only', async () => {
    await get(`${API}/things/a%2Fb`).expect(200, { id: 'a/b' });
    await get(`${API}/things/a%252Fb`).expect(200, { id: 'a%2Fb' });
    await get(`${API}/things/a/b`).expect(404, { error: '404 Not Found' });
  });

  it('accepts paths with repeated and trailing slashes', async () => {
    await get(`${API}/things//5/issues//7/`).expect(200, { id: '5', issueId: 7 });
    await get(`/${API}//things/5.json`).expect(200, { id: '5' });
  });

  it('joins a branch name with literal or encoded slashes', async () => {
    await get(`${API}/things/5/branches/a/b.json`).expect(200, { id: '5', branch: 'a/b.json' });
    await get(`${API}/things/5/branches/a%2Fb`).expect(200, { id: '5', branch: 'a/b' });
  });

  it.each(['/nowhere', `${API}/nowhere`, API, '/', '/API/V3/things', `${API}/things/1/2/3/4`])(
    'returns 404 as JSON for %s',
    async (path) => {
      const response = await get(path);
      expect(response.status).toBe(404);
      expect(response.body).toEqual({ error: '404 Not Found' });
      expect(response.headers['content-type']).toBe('application/json');
      expect(response.headers['x-request-id']).toMatch(/^[\w-]{36}$/);
    },
  );

  it('names the verbs of a known path', async () => {
    const server = tiny.app.getHttpServer();
    const patch = await request(server).patch(`${API}/things/5`);
    expect(patch.status).toBe(405);
    expect(patch.body).toEqual({ error: '405 Not Allowed' });
    expect(patch.headers['allow']).toBe('DELETE, GET, HEAD, PUT');
    const outside = await request(server).post('/healthz');
    expect([outside.status, outside.headers['allow']]).toEqual([405, 'GET, HEAD']);
    const options = await request(server).options(`${API}/things`);
    expect([options.status, options.headers['allow']]).toEqual([405, 'GET, HEAD, POST']);
  });

  it('answers HEAD on every GET route', async () => {
    const response = await request(tiny.app.getHttpServer()).head(`${API}/things?page=2`);
    expect(response.status).toBe(200);
    expect(response.headers['x-page']).toBe('2');
    expect(response.headers['x-total']).toBe('45');
    expect(response.text).toBeFalsy();
  });

  it.each(['%', '%zz', '%ff', 'a%c3'])(
    'returns 400 for the malformed escape %s',
    async (escape) => {
      await get(`${API}/things/${escape}`).expect(400, { error: '400 Bad Request' });
    },
  );

  it('returns 400 for NUL in a path value and names it', async () => {
    await get(`${API}/things/a%00b`).expect(400, { error: 'id is invalid' });
    await get(`${API}/things/1/branches/a/%00`).expect(400, { error: 'branch is invalid' });
  });

  it('distinguishes ids from other values', async () => {
    await get(`${API}/things/1/issues/x7`).expect(400, { error: 'issue_id is invalid' });
    await get(`${API}/things/1/issues/-7`).expect(400, { error: 'issue_id is invalid' });
    await get(`${API}/things/1/issues/2147483647`).expect(200, { id: '1', issueId: 2147483647 });
    await get(`${API}/things/1/issues/2147483648`).expect(200, { id: '1', issueId: -1 });
    await get(`${API}/things/1/issues/${'9'.repeat(400)}`).expect(200, { id: '1', issueId: -1 });
    await get(`${API}/people/zoe`).expect(404, { error: '404 Not Found' });
    await get(`${API}/people/12`).expect(200, { id: 12 });
  });

  it('ignores requests outside the API', async () => {
    await get('/healthz').expect(200, { status: 'ok' });
    const body = Buffer.alloc(1_000_000, 'x');
    await request(tiny.app.getHttpServer())
      .post('/a/b.git/pack?x=%zz')
      .set('Content-Type', 'application/json')
      .send(body.toString())
      .expect(200, { size: 1_000_000, type: 'application/json' });
  });
});
