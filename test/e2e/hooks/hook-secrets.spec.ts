import { SealHookPasswordsJob } from '../../../src/modules/hooks/deliveries/maintenance.jobs.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { HookDeliveries } from '../../support/hook-deliveries.js';
import { type Delivery, Receivers } from '../../support/receiver.js';
import { Trellis } from '../../support/trellis.js';
import { until } from '../../support/until.js';

jest.setTimeout(120_000);

const CREDENTIALS = 'hal:open%20the:door@';

interface HookBody {
  id: number;
  url: string;
}

interface HookRow {
  url: string;
  password_sealed: string | null;
  token_sealed: string | null;
}

describe('The secrets of a hook', () => {
  let trellis: Trellis;
  let owner: Person;
  let other: Person;
  let admin: Person;
  let project: MadeProject;
  const receivers = new Receivers();

  beforeAll(async () => {
    trellis = await Trellis.shared({ runsJobs: true });
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    other = await trellis.factories.user();
    admin = await trellis.factories.admin();
  });
  afterAll(async () => {
    await trellis.restore();
    await receivers.stop();
  });
  beforeEach(async () => {
    project = await trellis.factories.project(owner);
    await trellis.factories.addToProject(project, other, 40);
  });

  const at = () => `/projects/${String(project.id)}/hooks`;
  const one = ({ id }: { id: number }) => `${at()}/${String(id)}`;
  const withUser = (url: string, user = CREDENTIALS) => url.replace('://', `://${user}`);
  const make = async (body: object) => {
    const answer = await trellis.as(owner).post(at(), { issues_events: true, ...body });
    expect(answer.status).toBe(200);
    return answer.body as HookBody;
  };
  const put = async (hook: { id: number }, body: object, by = other) => {
    const answer = await trellis.as(by).put(one(hook), body).expect(200);
    return answer.body as HookBody;
  };
  const stored = async ({ id }: { id: number }): Promise<HookRow> => {
    const [row] = await trellis.rows<HookRow>('SELECT * FROM hooks WHERE id = $1', [id]);
    if (row === undefined) throw new Error('There is no such hook');
    return row;
  };
  const received = async (
    receiver: { received(count: number): Promise<Delivery[]> },
    count = 1,
  ) => {
    const path = `/projects/${String(project.id)}/issues`;
    await trellis.as(owner).post(path, { title: 'Something' }).expect(200);
    return (await receiver.received(count)).at(-1)?.headers ?? {};
  };
  const credentials = (header: unknown) =>
    Buffer.from(String(header).slice('Basic '.length), 'base64').toString();

  it('are redacted in the log when a receiver repeats them', async () => {
    const token = 'a "token" – with more';
    const password = 'open the:door';
    const receiver = await receivers.start((response, _, { headers, body }) => {
      const bytes = String(headers['x-gitlab-token']);
      const clear = Buffer.from(bytes, 'latin1').toString();
      response.setHeader('X-Was', [bytes, 'kept'].join(', '));
      // As bytes: with a text, Node would encode the headers as it does the text.
      response.end(Buffer.from(JSON.stringify({ headers, clear, password, body })));
    });
    const deliveries = new HookDeliveries(trellis);
    const { id } = await make({ url: withUser(receiver.url), token });
    const delivery = await deliveries.queue(id, { object_kind: 'issue' });
    await deliveries.ended(delivery);
    const [sent] = receiver.deliveries;
    const path = `${one({ id })}/deliveries/${delivery}`;
    const { body } = await trellis.as(owner).get(path).expect(200);
    const { response_headers: headers, response_body: text } = body as {
      response_headers: Record<string, string>;
      response_body: string;
    };
    expect(headers['x-was']).toBe('[redacted], kept');
    const answer = JSON.parse(text) as { headers: Record<string, string> };
    expect(answer).toMatchObject({
      headers: {
        authorization: '[redacted]',
        'x-gitlab-token': '[redacted]',
        'webhook-signature': '[redacted]',
        'webhook-id': sent?.headers['webhook-id'],
      },
      ...{ clear: '[redacted]', password: '[redacted]', body: '{"object_kind":"issue"}' },
    });
    expect((await deliveries.read(delivery)).response_body).toBe(text);
  });

  describe('its token', () => {
    it('is not sent to another server after a change of the address', async () => {
      const [first, second] = [await receivers.start(200), await receivers.start(200)];
      const hook = await make({ url: `${first.url}/ours`, token: 'not-shown' });
      expect((await received(first))['x-gitlab-token']).toBe('not-shown');
      await put(hook, { url: `${second.url}/theirs` });
      const headers = await received(second);
      expect(headers).not.toHaveProperty('x-gitlab-token');
      expect(headers).not.toHaveProperty('webhook-signature');
      await put(hook, { url: `${first.url}/ours` });
      expect(await received(first, 2)).not.toHaveProperty('x-gitlab-token');
    });

    it.each([
      ['scheme', 'http://receiver.example.com:8443/hook', false],
      ['host', 'https://receiver.example.org:8443/hook', false],
      ['a subdomain', 'https://eu.receiver.example.com:8443/hook', false],
      ['port', 'https://receiver.example.com/hook', false],
      ['path', 'https://receiver.example.com:8443/elsewhere', true],
      ['query', 'https://receiver.example.com:8443/hook?a=1', true],
      ['letters of the host', 'HTTPS://Receiver.Example.COM:8443/hook', true],
      ['user', 'https://hal@receiver.example.com:8443/hook', true],
      ['nothing', 'https://receiver.example.com:8443/hook', true],
    ])('is kept or removed by a change of address: another %s', async (_, url, stays) => {
      const hook = await make({
        url: 'https://receiver.example.com:8443/hook',
        token: 'not-shown',
      });
      const { token_sealed: sealed } = await stored(hook);
      await put(hook, { url });
      expect(await stored(hook)).toMatchObject({ url, token_sealed: stays ? sealed : null });
    });

    it('is replaced by a token sent with the address, and removed by an empty one', async () => {
      const receiver = await receivers.start(200);
      const hook = await make({ url: 'https://receiver.example.com/', token: 'old' });
      await put(hook, { url: receiver.url, token: 'new' });
      expect((await received(receiver))['x-gitlab-token']).toBe('new');
      await put(hook, { url: receiver.url, token: '' });
      expect(await stored(hook)).toMatchObject({ token_sealed: null });
    });
  });

  describe('the password in its address', () => {
    it('is encrypted at rest, sent, and never shown', async () => {
      const receiver = await receivers.start(500);
      const url = withUser(`${receiver.url}/hook?a=b`);
      const shown = withUser(`${receiver.url}/hook?a=b`, 'hal:***@');
      const hook = await make({ url });
      expect(hook.url).toBe(shown);
      for (const path of [at(), one(hook)]) {
        const { text } = await trellis.as(other).get(path).expect(200);
        expect(text).toContain(JSON.stringify(shown));
        expect(text).not.toContain('door');
      }
      const row = await stored(hook);
      expect(row).toMatchObject({ url: shown, password_sealed: expect.any(String) as string });
      const headers = await received(receiver);
      expect(credentials(headers.authorization)).toBe('hal:open the:door');
      const deliveries = `${one(hook)}/deliveries`;
      const tried = await until(async () => {
        const { body } = await trellis.as(other).get(deliveries).expect(200);
        return (body as { id: number; attempts: number }[]).find(({ attempts }) => attempts > 0);
      });
      const { text } = await trellis
        .as(other)
        .get(`${deliveries}/${String(tried.id)}`)
        .expect(200);
      expect(text).not.toMatch(/door|authorization|aGFsOm/i);
      const rows = await trellis.rows('SELECT * FROM hooks, hook_deliveries WHERE hooks.id = $1', [
        hook.id,
      ]);
      expect(JSON.stringify(rows)).not.toMatch(/door|aGFsOm/);
      const { body: removed } = await trellis.as(other).delete(one(hook)).expect(200);
      expect((removed as HookBody).url).toBe(shown);
    });

    it('is not shown for system hooks either', async () => {
      const url = 'https://hal:open@receiver.example.com/';
      const { body } = await trellis.as(admin).post('/hooks', { url }).expect(200);
      expect((body as HookBody).url).toBe('https://hal:***@receiver.example.com/');
      const { text } = await trellis.as(admin).get('/hooks').expect(200);
      expect(text).not.toContain('hal:open');
      await trellis
        .as(admin)
        .delete(`/hooks/${String((body as HookBody).id)}`)
        .expect(200);
    });

    it('is kept when the masked address is sent back', async () => {
      const receiver = await receivers.start(200);
      const hook = await make({ url: withUser(`${receiver.url}/hook`) });
      const saved = await put(hook, { url: hook.url, note_events: true });
      expect(saved.url).toBe(hook.url);
      const moved = await put(hook, { url: hook.url.replace('/hook', '/elsewhere') });
      const headers = await received(receiver);
      expect(moved.url).toBe(withUser(`${receiver.url}/elsewhere`, 'hal:***@'));
      expect(credentials(headers.authorization)).toBe('hal:open the:door');
    });

    it('is not sent to other servers, used for other users, or copied to other hooks', async () => {
      const [first, second] = [await receivers.start(200), await receivers.start(200)];
      const hook = await make({ url: withUser(first.url) });
      for (const url of [
        withUser(second.url, 'hal:***@'),
        withUser(first.url, 'dave:***@'),
        withUser(first.url.replace('http:', 'https:'), 'hal:***@'),
      ]) {
        const other = await make({ url: withUser(first.url) });
        const { url: left } = await put(other, { url });
        expect(left).toBe(`${url.replace(':***', '')}/`);
        expect(await stored(other)).toMatchObject({ password_sealed: null });
        await trellis.as(owner).delete(one(other)).expect(200);
      }
      const copy = await make({ url: hook.url });
      expect(copy.url).toBe(`${withUser(first.url, 'hal@')}/`);
      await put(hook, { url: withUser(second.url, 'hal:***@') });
      expect(credentials((await received(second)).authorization)).toBe('hal:');
      await put(hook, { url: withUser(second.url, 'hal:new@') });
      expect(credentials((await received(second, 2)).authorization)).toBe('hal:new');
      await put(hook, { url: second.url });
      expect(await received(second, 3)).not.toHaveProperty('authorization');
    });

    it('is bound to its server even if an older version has written the address', async () => {
      const [first, second] = [await receivers.start(200), await receivers.start(200)];
      const hook = await make({ url: withUser(first.url) });
      await trellis.rows('UPDATE hooks SET url = $2 WHERE id = $1', [
        hook.id,
        withUser(second.url, 'hal:***@'),
      ]);
      expect(credentials((await received(second)).authorization)).toBe('hal:');
    });

    it('does not fail an update when it was encrypted with another key', async () => {
      const receiver = await receivers.start(200);
      const hook = await make({ url: withUser(receiver.url) });
      const foreign = 'c2VhbGVkIHVuZGVyIGFub3RoZXIga2V5';
      await trellis.rows('UPDATE hooks SET password_sealed = $2 WHERE id = $1', [hook.id, foreign]);
      expect((await put(hook, { url: hook.url, note_events: true })).url).toBe(hook.url);
      const moved = await put(hook, { url: 'https://hal:***@elsewhere.example.com/' });
      expect(moved.url).toBe('https://hal@elsewhere.example.com/');
      expect(await stored(hook)).toMatchObject({ password_sealed: null });
    });

    it('is encrypted later if an older version has stored it in the clear', async () => {
      const receiver = await receivers.start(200);
      const deliveries = new HookDeliveries(trellis);
      const url = withUser(`${receiver.url}/hook`);
      const id = await deliveries.hook(url, { projectId: project.id, token: 'kept' });
      const plain = await deliveries.hook(receiver.url, { projectId: project.id });
      const { body } = await trellis.as(owner).get(one({ id })).expect(200);
      expect((body as HookBody).url).toBe(withUser(`${receiver.url}/hook`, 'hal:***@'));
      await deliveries.queue(id);
      const [unsealed] = await receiver.received(1);
      expect(credentials(unsealed?.headers.authorization)).toBe('hal:open the:door');
      const { signal } = new AbortController();
      await trellis.app.get(SealHookPasswordsJob).handle({}, { signal });
      expect(await stored({ id })).toMatchObject({
        url: withUser(`${receiver.url}/hook`, 'hal:***@'),
        password_sealed: expect.any(String) as string,
        token_sealed: expect.any(String) as string,
      });
      expect(await stored({ id: plain })).toMatchObject({ url: receiver.url });
      await deliveries.queue(id);
      const sealed = (await receiver.received(2))[1];
      expect(sealed?.headers.authorization).toBe(unsealed?.headers.authorization);
    });
  });
});
