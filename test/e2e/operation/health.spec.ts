import { rename } from 'node:fs/promises';
import pg from 'pg';
import request from 'supertest';
import { Trellis } from '../../support/trellis.js';

/** Lets nobody into a database, or everybody again; ends the connections that are there. */
async function admit(url: string, allowed: boolean): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  const client = new pg.Client({ connectionString: process.env['TEST_DATABASE_URL'] });
  await client.connect();
  try {
    await client.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS ${String(allowed)}`);
    await client.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND NOT $2::boolean',
      [name, allowed],
    );
  } finally {
    await client.end();
  }
}

describe('the health of a process', () => {
  let trellis: Trellis;

  beforeAll(async () => {
    trellis = await Trellis.start({ because: 'state of the instance' });
  });
  afterAll(() => trellis.stop());

  const ready = () => request(trellis.url).get('/readyz');

  it('is available to anonymous callers', async () => {
    for (const path of ['/healthz', '/readyz']) {
      const answer = await request(trellis.url).get(path).expect(200);
      expect(answer.body).toEqual({ status: 'ok' });
      expect(answer.headers['content-type']).toBe('application/json');
    }
  });

  it('is returned without a body for HEAD', async () => {
    for (const path of ['/healthz', '/readyz']) {
      const answer = await request(trellis.url).head(path).expect(200);
      expect(answer.text).toBeFalsy();
    }
  });

  it('names the database during an outage, and recovers automatically', async () => {
    const { url = '' } = trellis.dataSource.options as { url?: string };
    await admit(url, false);
    try {
      const answer = await ready().expect(503);
      expect(answer.body).toMatchObject({ status: 'unavailable' });
      expect((answer.body as { failing: string[] }).failing).toContain('database');
      expect((answer.body as { failing: string[] }).failing).not.toContain('storage');
      await request(trellis.url).head('/readyz').expect(503);
      await request(trellis.url).get('/healthz').expect(200, { status: 'ok' });
    } finally {
      await admit(url, true);
    }
    await ready().expect(200, { status: 'ok' });
  });

  it('names storage and data folder while the data folder is missing', async () => {
    const aside = `${trellis.dataDir}-aside`;
    await rename(trellis.dataDir, aside);
    try {
      const reason = 'there is no such folder';
      await ready().expect(503, {
        status: 'unavailable',
        failing: ['storage', 'data-dir'],
        storages: ['default'],
        reasons: { default: reason, 'data-dir': reason },
      });
      await request(trellis.url).get('/healthz').expect(200);
    } finally {
      await rename(aside, trellis.dataDir);
    }
    await ready().expect(200);
  });

  it.each(['/health', '/readyz/more', '/api/v3', '/api/v3/nothing', '/a/b/c/d/e'])(
    'returns 404 as JSON for %s',
    async (path) => {
      const answer = await request(trellis.url).get(path).expect(404);
      expect(answer.headers['content-type']).toBe('application/json');
      expect(answer.body).toEqual({ error: '404 Not Found' });
    },
  );
});
