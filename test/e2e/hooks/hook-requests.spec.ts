import { Webhook } from 'standardwebhooks';
import type { Delivery } from '../../support/receiver.js';
import { HookDeliveries, type HookSettings } from '../../support/hook-deliveries.js';
import { Receiver } from '../../support/receiver.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

const FACTS = { object_kind: 'push', message: 'Größe — 数 \u{1f600}' };
const TOKEN = 'a secret with ümlauts';

describe('Requests to receivers', () => {
  let trellis: Trellis;
  let receiver: Receiver;
  let hooks: HookDeliveries;
  let projectId: number;

  beforeAll(async () => {
    trellis = await Trellis.shared({ runsJobs: true });
    hooks = new HookDeliveries(trellis);
    projectId = (await trellis.factories.project(await trellis.factories.user())).id;
  });
  afterAll(() => trellis.restore());
  beforeEach(async () => {
    receiver = await Receiver.start();
  });
  afterEach(() => receiver.stop());

  async function sent(settings: HookSettings = {}, url = receiver.url): Promise<Delivery> {
    const delivery = await hooks.queue(await hooks.hook(url, settings), FACTS);
    await hooks.ended(delivery);
    const [first] = await receiver.received(1);
    return first as Delivery;
  }
  const headersOf = ({ headers }: Delivery) => headers as Record<string, string>;

  it('carry the payload with the documented headers', async () => {
    const { method, path, headers, body } = await sent(
      { projectId, token: TOKEN },
      `${receiver.url}/in/here?key=1#part`,
    );
    expect([method, path]).toEqual(['POST', '/in/here?key=1']);
    expect(JSON.parse(body)).toEqual(FACTS);
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      'x-gitlab-event': 'Issue Hook',
      'user-agent': expect.stringMatching(
        /^trellis\/\d+\.\d+\.\d+\+[0-9a-f]{7}(?:\.dirty)?$/,
      ) as string,
      'webhook-id': expect.stringMatching(/^msg_[0-9a-f]{32}$/) as string,
      'webhook-timestamp': expect.stringMatching(/^\d{10}$/) as string,
    });
    const token = Buffer.from(String(headers['x-gitlab-token']), 'latin1').toString();
    expect(token).toBe(TOKEN);
    expect(headers).not.toHaveProperty('authorization');
  });

  it('are signed, and fail verification when altered', async () => {
    const delivery = await sent({ token: TOKEN });
    const verifier = new Webhook(Buffer.from(TOKEN), { format: 'raw' });
    expect(verifier.verify(delivery.body, headersOf(delivery))).toEqual(FACTS);
    const tampered = delivery.body.replace('push', 'pull');
    expect(() => verifier.verify(tampered, headersOf(delivery))).toThrow('No matching signature');
    const renamed = { ...headersOf(delivery), 'webhook-id': 'msg_0' };
    expect(() => verifier.verify(delivery.body, renamed)).toThrow('No matching signature');
  });

  it('are signed with the decoded bytes of a token in the format of Standard Webhooks', async () => {
    const token = `whsec_${Buffer.from('twenty-four bytes of key').toString('base64')}`;
    const delivery = await sent({ token });
    expect(delivery.headers['x-gitlab-token']).toBe(token);
    expect(new Webhook(token).verify(delivery.body, headersOf(delivery))).toEqual(FACTS);
  });

  it('have neither token nor signature without a token', async () => {
    const { headers } = await sent();
    expect(headers).not.toHaveProperty('x-gitlab-token');
    expect(headers).not.toHaveProperty('webhook-signature');
    expect(headers['x-gitlab-event']).toBe('System Hook');
  });

  it('omit a token that is invalid in a header, and are signed with it', async () => {
    const delivery = await sent({ token: 'two\nlines' });
    expect(delivery.headers).not.toHaveProperty('x-gitlab-token');
    const verifier = new Webhook('two\nlines', { format: 'raw' });
    expect(verifier.verify(delivery.body, headersOf(delivery))).toEqual(FACTS);
  });

  it('carry user and password of the address as basic authentication', async () => {
    const url = receiver.url.replace('://', '://us%C3%A9r:p%40ss%3A%ZZ@');
    const { headers, path } = await sent({}, `${url}/path`);
    const pair = Buffer.from(String(headers.authorization).slice('Basic '.length), 'base64');
    expect(pair.toString()).toBe('usér:p%40ss%3A%ZZ');
    expect(path).toBe('/path');
    expect(headers.host).toBe(new URL(receiver.url).host);
  });

  it('are logged without the secrets', async () => {
    const url = receiver.url.replace('://', '://user:password@');
    const delivery = await hooks.queue(await hooks.hook(url, { token: TOKEN }), FACTS);
    const logged = await hooks.ended(delivery);
    expect(logged).toMatchObject({ state: 'delivered', attempts: 1, cause: null, message: null });
    expect(logged.response_status).toBe(200);
    expect(Object.keys(logged.request_headers ?? {}).sort()).toEqual([
      'Content-Length',
      'Content-Type',
      'User-Agent',
      'X-Gitlab-Event',
      'webhook-id',
      'webhook-timestamp',
    ]);
    expect(JSON.stringify(logged)).not.toContain('password');
  });
});
