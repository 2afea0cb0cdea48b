import { readFileSync } from 'node:fs';
import request from 'supertest';
import { programVersion } from '../../../src/platform/config/index.js';
import type { Person } from '../../support/factories.js';
import { Trellis } from '../../support/trellis.js';

describe('version 4 of the API', () => {
  let trellis: Trellis;
  let person: Person;
  let admin: Person;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    person = await trellis.factories.user();
    admin = await trellis.factories.admin();
  });

  describe.each(['/metadata', '/version'])('GET %s', (path) => {
    it('returns 401 for strangers and unknown tokens', async () => {
      for (const client of [trellis.anonymous, trellis.as({ token: 'unknown' })]) {
        const refused = await client.v4.get(path).expect(401);
        expect(refused.body).toEqual({ message: '401 Unauthorized' });
      }
    });

    it('returns the version of GitLab, and that of the program as revision', async () => {
      const answer = await trellis.as(person).v4.get(path).expect(200);
      expect(answer.body).toEqual({
        version: '17.11.0',
        revision: programVersion(),
        kas: { enabled: false, externalUrl: null, externalK8sProxyUrl: null, version: null },
        enterprise: false,
      });
      await trellis.as(person).v4.call('head', path).expect(200);
    });

    it('returns the version that `API_V4_COMPATIBILITY_VERSION` sets', async () => {
      await trellis.with({ API_V4_COMPATIBILITY_VERSION: '18.2.0' }, async () => {
        const answer = await trellis.as(person).v4.get(path).expect(200);
        expect(answer.body).toMatchObject({ version: '18.2.0' });
        const old = await trellis.as(person).get('/version').expect(200);
        expect(old.body).toMatchObject({ version: '8.15.7' });
      });
    });
  });

  it('takes tokens from the header, the query and as bearer', async () => {
    const get = (query = '') => request(trellis.url).get(`/api/v4/version${query}`);
    await get().set('Private-Token', person.token).expect(200);
    await get().set('Authorization', `Bearer ${person.token}`).expect(200);
    await get(`?private_token=${person.token}`).expect(200);
  });

  it('returns 404 for paths of version 3 that it does not have', async () => {
    const absent = await trellis.as(admin).v4.post('/session').expect(404);
    expect(absent.body).toEqual({ error: '404 Not Found' });
  });

  it('words an unknown account of sudo otherwise than version 3', async () => {
    const absent = await trellis.as(admin).v4.get('/version?sudo=nobody-here').expect(404);
    expect(absent.body).toEqual({
      message: "404 User with ID or username 'nobody-here' Not Found",
    });
    const old = await trellis.as(admin).get('/version?sudo=nobody-here').expect(404);
    expect(old.body).toEqual({ message: '404 No user id or username for: nobody-here Not Found' });
    const refused = await trellis.as(person).v4.get(`/version?sudo=${admin.user.username}`);
    expect([refused.status, refused.body]).toEqual([
      403,
      { message: '403 Forbidden - Must be admin to use sudo' },
    ]);
  });

  it('is open to pages of other origins', async () => {
    const response = await request(trellis.url)
      .options('/api/v4/version')
      .set({ Origin: 'https://elsewhere.example', 'Access-Control-Request-Method': 'GET' });
    expect([response.status, response.headers['access-control-allow-origin']]).toEqual([200, '*']);
    const answer = await trellis.as(person).v4.get('/version');
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'cache-control': 'private, no-cache',
    });
  });

  it('serves its interface document and explorer', async () => {
    const document = await request(trellis.url).get('/api/v4/openapi.json').expect(200);
    expect(document.text).toBe(readFileSync('openapi-v4.json', 'utf8'));
    expect(document.body).toMatchObject({ servers: [{ url: '/api/v4' }] });
    const page = await request(trellis.url).get('/api/v4/docs').expect(200);
    expect(page.text).toContain('data-api="/api/v4"');
    expect(page.text).toContain('src="/api/v4/docs/start.js"');
    await request(trellis.url).get('/api/v4/docs/start.js').expect(200);
  });
});
