/**
 * @needs chromium
 * @operation
 */
import type { Page } from 'playwright-core';
import { TestBrowser } from '../../support/browser.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { Receiver } from '../../support/receiver.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

interface Call {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly credentials?: 'include';
}

describe('the API in pages of another origin', () => {
  let trellis: Trellis;
  let browser: TestBrowser;
  let elsewhere: Receiver;
  let page: Page;
  let owner: Person;
  let project: MadeProject;
  let issues: string;

  beforeAll(async () => {
    trellis = await Trellis.start({
      because: 'settings at the start',
      env: { TRUSTED_PROXIES: '127.0.0.0/8, ::1' },
    });
    owner = await trellis.factories.user();
    project = await trellis.factories.project(owner, { visibilityLevel: 20 });
    issues = `/projects/${String(project.id)}/issues`;
    elsewhere = await Receiver.start((response) => {
      response
        .setHeader('Content-Type', 'text/html')
        .end('<!doctype html><title>Elsewhere</title>');
    });
    browser = await TestBrowser.launch();
    page = await browser.open(elsewhere.url);
  });
  afterAll(async () => {
    await browser.close();
    await elsewhere.stop();
    await trellis.stop();
  });

  /** Has the page send a request. @returns what its script sees of the answer; null if the browser keeps it back */
  const send = (path: string, call: Call = {}) =>
    page.evaluate(
      async ([url, init]) => {
        try {
          const response = await fetch(url, init);
          const headers = Object.fromEntries(response.headers);
          return { status: response.status, headers, text: await response.text() };
        } catch {
          return null;
        }
      },
      [trellis.url + path, call] as const,
    );
  const call = (path: string, { headers, ...rest }: Call = {}) =>
    send(`/api/v3${path}`, { ...rest, headers: { 'PRIVATE-TOKEN': owner.token, ...headers } });

  it('accepts a token, and exposes all headers', async () => {
    const json = { 'Content-Type': 'application/json' };
    const made = await call(issues, { method: 'POST', headers: json, body: '{"title":"A"}' });
    expect(made?.status).toBe(200);
    const { id } = JSON.parse(made?.text ?? '') as { id: number };
    const one = `${issues}/${String(id)}`;
    const bearer = { ...json, 'PRIVATE-TOKEN': '', Authorization: `Bearer ${owner.token}` };
    const changed = await call(one, { method: 'PUT', headers: bearer, body: '{"title":"B"}' });
    expect([changed?.status, changed?.text]).toEqual([200, expect.stringContaining('"B"')]);
    const list = await call(issues);
    expect(list?.headers).toMatchObject({
      'x-total': '1',
      'x-request-id': expect.any(String) as string,
      link: expect.stringContaining('rel="first"') as string,
    });
    expect((await call(issues, { method: 'HEAD' }))?.headers['x-total']).toBe('1');
    expect((await call(one, { method: 'DELETE' }))?.status).toBe(200);
    // Without a header that would need a preflight.
    const token = `private_token=${owner.token}`;
    expect((await send(`/api/v3/user?${token}`))?.status).toBe(200);
  });

  it('exposes errors and their reasons', async () => {
    const { headers = {} } = (await call(issues)) ?? {};
    const refusals = [
      [await call(issues, { headers: { 'If-None-Match': headers['etag'] ?? '' } }), 304],
      [await call(issues, { method: 'POST' }), 400],
      [await call(issues, { headers: { 'PRIVATE-TOKEN': 'wrong' } }), 401],
      [await call(issues, { headers: { SUDO: 'root' } }), 403],
      [await call('/projects/2147483647/issues'), 404],
      [await call('/unknown'), 404],
      [await call('/users/zoe'), 404],
      [await call(issues, { method: 'PATCH' }), 405],
      [await call(issues, { method: 'POST', headers: { 'Content-Type': 'a/b' }, body: 'x' }), 415],
    ] as const;
    expect(refusals.map(([answer]) => answer?.status)).toEqual(
      refusals.map(([, status]) => status),
    );
    const type = 'application/x-www-form-urlencoded';
    const attempt = () =>
      send('/api/v3/session', {
        method: 'POST',
        headers: { 'Content-Type': type, 'X-Forwarded-For': '203.0.113.80' },
        body: `login=${owner.user.username}&password=wrong`,
      });
    for (let count = 0; count < 10; count += 1) expect((await attempt())?.status).toBe(401);
    const throttled = await attempt();
    expect(throttled?.status).toBe(429);
    expect(Number(throttled?.headers['retry-after'])).toBeGreaterThan(0);
  });

  it('ignores the session of the reader', async () => {
    const signedIn = await browser.open(`${trellis.url}/-/sign_in`);
    await signedIn.getByLabel('User name or e-mail').fill(owner.user.username);
    await signedIn.getByLabel('Password').fill(owner.password);
    await signedIn.getByRole('button', { name: 'Sign in' }).first().click();
    await signedIn.waitForURL(`${trellis.url}/`);
    const first = page;
    page = signedIn;
    await page.goto(elsewhere.url);
    expect((await send('/api/v3/user'))?.status).toBe(401);
    expect(await send('/api/v3/user', { credentials: 'include' })).toBeNull();
    expect(await call('/user', { credentials: 'include' })).toBeNull();
    page = first;
  });

  it('is the only part that these pages can read', async () => {
    const refs = `/${project.fullPath}.git/info/refs?service=git-upload-pack`;
    const paths = ['/', '/help', '/admin', '/-/sign_in', `/${project.fullPath}`, '/api/v3/docs'];
    for (const path of [...paths, refs, '/healthz', '/readyz', '/metrics', '/unknown']) {
      for (const headers of [{}, { Accept: 'text/html' }, { 'PRIVATE-TOKEN': owner.token }]) {
        expect([path, await send(path, { headers })]).toEqual([path, null]);
      }
    }
    expect((await send('/api/v3/openapi.json'))?.status).toBe(200);
  });
});
