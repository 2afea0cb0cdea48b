import { UsersService, WebSessionsService } from '../../../src/modules/users/index.js';
import { BrowserSession } from '../../support/browser-session.js';
import type { Person } from '../../support/factories.js';
import { Trellis } from '../../support/trellis.js';
import { until } from '../../support/until.js';

describe('signing in with a browser', () => {
  let trellis: Trellis;
  let person: Person;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    person = await trellis.factories.user();
  });

  const anonymous = () => new BrowserSession(trellis);
  const signedIn = async ({ token }: Person) => {
    const browser = anonymous();
    expect((await browser.signInByToken(token)).status).toBe(303);
    return browser;
  };
  const isSignedIn = async (browser: BrowserSession) =>
    (await browser.get('/')).text.includes('Sign out');

  it('accepts a user name or e-mail with the password, or a private token', async () => {
    const { username, email } = person.user;
    for (const login of [username, email]) {
      const browser = anonymous();
      const answer = await browser.signIn(login, person.password, '/crew/tour?page=2#top');
      expect(answer.status).toBe(303);
      expect(answer.headers.get('location')).toBe('/crew/tour?page=2#top');
      expect(await isSignedIn(browser)).toBe(true);
    }
    expect(await isSignedIn(await signedIn(person))).toBe(true);
  });

  it('is recorded in the audit log, like failed attempts', async () => {
    const one = await trellis.factories.user();
    await anonymous().signIn(one.user.username, one.password);
    await anonymous().signInByToken(one.token);
    const created = await trellis.rows(
      `SELECT ip FROM audit_events WHERE action = 'session.created' AND target_id = $1`,
      [one.user.id],
    );
    expect(created).toHaveLength(2);
    await anonymous().signInByToken('not-a-token');
    const isRecorded = () =>
      trellis.rows(
        `SELECT 1 FROM audit_events
          WHERE action = 'session.failed' AND details ->> 'method' = 'token'`,
      );
    await until(async () => (await isRecorded()).length > 0);
  });

  it('sets a cookie that neither scripts nor other sites can read', async () => {
    const answer = await anonymous().signInByToken(person.token);
    expect(answer.headers.get('set-cookie')).toMatch(
      /^trellis_session=[\w-]{43}; Max-Age=604800; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/,
    );
    const rows = await trellis.rows('SELECT * FROM web_sessions');
    const value = /trellis_session=([^;]+)/.exec(answer.headers.get('set-cookie') ?? '')?.[1];
    expect(JSON.stringify(rows)).not.toContain(value);
  });

  it('returns the same error for wrong credentials and blocked accounts, and keeps the name in the form', async () => {
    const blocked = await trellis.factories.user();
    await trellis.rows(`UPDATE users SET state = 'blocked' WHERE id = $1`, [blocked.user.id]);
    const attempts = [
      await anonymous().signIn(person.user.username, 'not the password'),
      await anonymous().signIn(blocked.user.username, blocked.password),
      await anonymous().signInByToken('not-a-token'),
      await anonymous().signInByToken(blocked.token),
    ];
    for (const { status, text, headers } of attempts) {
      expect(status).toBe(401);
      expect(text).toContain('The credential is wrong, or the account is blocked.');
      expect(headers.get('set-cookie') ?? '').not.toContain('trellis_session');
    }
    expect(attempts[0]?.text).toContain(`value="${person.user.username}"`);
  });

  it('redirects only to paths of this service', async () => {
    for (const returnTo of [
      ...['//evil.example', '/\\evil.example', '/.//evil.example', '/%2e//evil.example'],
      ...['https://evil.example', 'javascript:alert(1)', '/\t/evil.example', '/\n/evil', 'x', ''],
      ...['/..//evil.example', `/${'a'.repeat(2_001)}`],
    ]) {
      const browser = anonymous();
      const form = { private_token: person.token, return_to: returnTo };
      const answer = await browser.submit('/-/sign_in', '/-/sign_in', form);
      expect([returnTo, answer.headers.get('location')]).toEqual([returnTo, '/']);
      const known = await browser.get(`/-/sign_in?return_to=${encodeURIComponent(returnTo)}`);
      expect([returnTo, known.headers.get('location')]).toEqual([returnTo, '/']);
    }
  });

  it('refuses forms that are not from its own pages', async () => {
    const browser = anonymous();
    const csrf_token = await browser.csrfToken('/-/sign_in');
    const form = { private_token: person.token, csrf_token };
    const foreign = [
      await browser.post('/-/sign_in', { ...form, csrf_token: '' }),
      await browser.post('/-/sign_in', { private_token: person.token }),
      await browser.post('/-/sign_in', form, { Origin: 'https://evil.example' }),
      await browser.post('/-/sign_in', form, { Origin: 'null' }),
      await browser.post('/-/sign_in', form, { 'Sec-Fetch-Site': 'cross-site' }),
      await browser.post('/-/sign_in', form, { 'Sec-Fetch-Site': 'same-site' }),
      await anonymous().post('/-/sign_in', form),
    ];
    expect(foreign.map(({ status }) => status)).toEqual(foreign.map(() => 403));
    expect(await isSignedIn(browser)).toBe(false);
    const own = { Origin: trellis.url, 'Sec-Fetch-Site': 'same-origin' };
    expect((await browser.post('/-/sign_in', form, own)).status).toBe(303);
    // The token of the form before signing in is none of the session's.
    expect((await browser.post('/-/sign_out', { csrf_token })).status).toBe(403);
    expect(await isSignedIn(browser)).toBe(true);
  });

  it('restricts the cookie to pages, excluding the API and Git', async () => {
    const browser = await signedIn(person);
    const { cookie } = browser;
    for (const path of ['/api/v3/user', '/api/v3/projects', '/metrics']) {
      expect((await fetch(trellis.url + path, { headers: { Cookie: cookie } })).status).toBe(401);
    }
    const project = await trellis.factories.project(person);
    const refs = `/${project.fullPath}.git/info/refs?service=git-upload-pack`;
    expect((await fetch(trellis.url + refs, { headers: { Cookie: cookie } })).status).toBe(401);
  });

  it('ends the session on sign-out', async () => {
    const browser = await signedIn(person);
    const copy = anonymous();
    copy.take(browser);
    const other = await signedIn(person);
    const answer = await browser.signOut();
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/']);
    expect(await isSignedIn(browser)).toBe(false);
    expect(await isSignedIn(copy)).toBe(false);
    expect(await isSignedIn(other)).toBe(true);
  });

  it.each([
    ['is blocked', (id: number) => `/users/${String(id)}/block`, {}],
    ['gets another password', (id: number) => `/users/${String(id)}`, { password: 'another-one' }],
  ])('ends the sessions of an account that %s', async (_, pathOf, body) => {
    const one = await trellis.factories.user();
    const admin = await trellis.factories.user({ admin: true });
    const browser = await signedIn(one);
    await trellis.as(admin).put(pathOf(one.user.id), body).expect(200);
    expect(await isSignedIn(browser)).toBe(false);
    await trellis.rows(`UPDATE users SET state = 'active' WHERE id = $1`, [one.user.id]);
    expect(await isSignedIn(browser)).toBe(false);
  });

  it('starts no session when the password or token was changed while it was compared', async () => {
    const one = await trellis.factories.user();
    const sessions = trellis.app.get(WebSessionsService);
    await trellis.app.get(UsersService).resetToken(one.user.id);
    await expect(sessions.start(one.user, '127.0.0.1')).rejects.toMatchObject({
      detail: { code: 'unauthenticated' },
    });
  });

  it('ends the sessions of an account that is deleted', async () => {
    const one = await trellis.factories.user();
    const admin = await trellis.factories.user({ admin: true });
    const browser = await signedIn(one);
    await trellis
      .as(admin)
      .delete(`/users/${String(one.user.id)}`)
      .expect(200);
    expect(await isSignedIn(browser)).toBe(false);
  });

  it('ends sessions a day after their last use, and a week after signing in', async () => {
    for (const change of [
      `last_used_at = now() - interval '25 hours'`,
      `expires_at = now() - interval '1 second'`,
    ]) {
      const one = await trellis.factories.user();
      const browser = await signedIn(one);
      await trellis.rows(`UPDATE web_sessions SET ${change} WHERE user_id = $1`, [one.user.id]);
      expect(await isSignedIn(browser)).toBe(false);
    }
  });

  it('keeps the twenty newest sessions of an account', async () => {
    const one = await trellis.factories.user();
    const first = await signedIn(one);
    for (let count = 0; count < 20; count += 1) await signedIn(one);
    expect(await isSignedIn(first)).toBe(false);
    const [row] = await trellis.rows(
      'SELECT count(*)::int AS count FROM web_sessions WHERE user_id = $1',
      [one.user.id],
    );
    expect(row).toEqual({ count: 20 });
  });

  describe('behind a proxy', () => {
    let behind: Trellis;

    beforeAll(async () => {
      const env = { EXTERNAL_URL: 'https://forge.example/trellis', TRUSTED_PROXIES: '127.0.0.0/8' };
      behind = await Trellis.start({ because: 'settings at the start', beside: trellis, env });
    });
    afterAll(() => behind.stop());

    it('limits the cookie to this host and HTTPS, and prefixes all addresses with the path', async () => {
      const project = await trellis.factories.project(person);
      const browser = new BrowserSession(behind);
      const answer = await browser.signInByToken(person.token);
      expect(answer.headers.get('location')).toBe('/trellis/');
      expect(answer.headers.get('set-cookie')).toMatch(
        /^__Host-trellis_session=[\w-]{43}; Max-Age=604800; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=Lax$/,
      );
      const { text } = await browser.get(`/${project.fullPath}`);
      expect(text).toContain(`href="/trellis/${person.user.username}"`);
      expect(text).toContain('action="/trellis/-/sign_out"');
      expect(text).toContain('&quot;https://forge.example/trellis/api/v3/projects/');
    });

    it('shares the throttle with POST /session', async () => {
      const from = { 'X-Forwarded-For': '203.0.113.77' };
      const browser = new BrowserSession(behind);
      const csrf_token = await browser.csrfToken('/-/sign_in');
      const attempt = (fields: Record<string, string>) =>
        browser.post('/-/sign_in', { csrf_token, ...fields }, from);
      const { username: login } = person.user;
      for (let count = 0; count < 5; count += 1) {
        expect((await attempt({ login, password: 'wrong' })).status).toBe(401);
        expect((await attempt({ private_token: `wrong-${String(count)}` })).status).toBe(401);
      }
      const refused = await attempt({ private_token: person.token });
      expect(refused.status).toBe(429);
      expect(refused.text).toMatch(/too many attempts. Try again in \d+ seconds/);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      const session = await fetch(`${behind.url}/api/v3/session`, {
        method: 'POST',
        headers: from,
        body: new URLSearchParams({ login, password: person.password }),
      });
      expect(session.status).toBe(429);
    });
  });
});
