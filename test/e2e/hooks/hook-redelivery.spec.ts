import { expectByRole, MASTERS } from '../../support/by-role.js';
import { makeCast } from '../../support/cast.js';
import { untilJobsRan } from '../../support/due-jobs.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { HookDeliveries } from '../../support/hook-deliveries.js';
import { type Receiver, Receivers } from '../../support/receiver.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

const NOWHERE = 2_000_000_000;

describe('A redelivery', () => {
  let trellis: Trellis;
  let hooks: HookDeliveries;
  let owner: Person;
  let project: MadeProject;
  const receivers = new Receivers();

  beforeAll(async () => {
    const settings = { WEBHOOK_RETRY_SECONDS: '3600,3600' };
    trellis = await Trellis.shared({ runsJobs: true, settings });
    hooks = new HookDeliveries(trellis);
    owner = await trellis.factories.user({ projectsLimit: 1000 });
  });
  afterAll(() => trellis.restore());
  beforeEach(async () => {
    project = await trellis.factories.project(owner);
  });
  afterEach(() => receivers.stop());

  const hookTo = ({ url }: Receiver) => hooks.hook(url, { projectId: project.id, token: 'secret' });
  const at = (hook: number, id: string | number, of = project.id) =>
    `/projects/${String(of)}/hooks/${String(hook)}/deliveries/${String(id)}`;
  const repeat = async (hook: number, id: string) => {
    const { body } = await trellis
      .as(owner)
      .post(`${at(hook, id)}/redeliver`)
      .expect(200);
    return body as object;
  };

  it('requires a credential, an id and a delivery of the hook', async () => {
    const hook = await hooks.hook('http://127.0.0.1:1/', { projectId: project.id });
    const client = trellis.as(owner);
    await trellis.anonymous.post(`${at(hook, 1)}/redeliver`).expect(401);
    await client
      .post(`${at(hook, 'x')}/redeliver`)
      .expect(400, { error: 'delivery_id is invalid' });
    await client.post(`${at(hook, NOWHERE)}/redeliver`).expect(404, { message: '404 Not found' });
    await client.post(`${at(NOWHERE, 1)}/redeliver`).expect(404, { message: '404 Not found' });
  });

  it('is limited to masters', async () => {
    const cast = await makeCast(trellis);
    const receiver = await receivers.start(200);
    const places = new Map<number, string>();
    for (const { id } of Object.values(cast.projects)) {
      const hook = await hooks.hook(receiver.url, { projectId: id });
      places.set(id, at(hook, await hooks.queue(hook), id));
    }
    await expectByRole(
      trellis,
      cast,
      (client, { id }) => client.post(`${String(places.get(id))}/redeliver`),
      MASTERS,
    );
  });

  it('has the same id and bytes, and a full set of attempts', async () => {
    const receiver = await receivers.start((response, count) =>
      response.writeHead(count === 1 ? 200 : 500).end(),
    );
    const hook = await hookTo(receiver);
    const id = await hooks.queue(hook, { object_kind: 'issue', title: 'ä' });
    const { message_id: messageId } = await hooks.ended(id);
    expect(await repeat(hook, id)).toMatchObject({
      id: Number(id),
      webhook_id: messageId,
      status: 'pending',
      attempts: 0,
      finished_at: null,
    });
    await receiver.received(2);
    const { waits, state } = await hooks.attempted(id, 1);
    expect({ state, isLater: (waits ?? 0) > 3_000 }).toEqual({ state: 'pending', isLater: true });
    const [first, second] = receiver.deliveries;
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    expect(second?.body).toBe(first?.body);
  });

  it('sends a waiting delivery at once, and not again when it becomes due', async () => {
    const receiver = await receivers.start((response, count) =>
      response.writeHead(count === 1 ? 500 : 200).end(),
    );
    const hook = await hookTo(receiver);
    const id = await hooks.queue(hook);
    await hooks.attempted(id, 1);
    await repeat(hook, id);
    expect(await hooks.ended(id)).toMatchObject({ state: 'delivered', attempts: 1 });
    await trellis.rows(`UPDATE outbox SET run_at = now() WHERE payload ->> 'deliveryId' = $1`, [
      id,
    ]);
    const waiting = `SELECT 1 FROM outbox WHERE payload ->> 'deliveryId' = $1`;
    await untilJobsRan(trellis, async () => (await trellis.rows(waiting, [id])).length === 0);
    await hooks.ended(await hooks.queue(hook, { object_kind: 'later' }));
    expect(receiver.deliveries.map(({ body }) => body)).toEqual([
      '{"object_kind":"push"}',
      '{"object_kind":"push"}',
      '{"object_kind":"later"}',
    ]);
  });

  it('enables a disabled hook', async () => {
    const receiver = await receivers.start((response, count) =>
      response.writeHead(count === 1 ? 410 : 200).end(),
    );
    const hook = await hookTo(receiver);
    const id = await hooks.queue(hook);
    expect(await hooks.ended(id)).toMatchObject({ disabled_reason: 'gone' });
    await repeat(hook, id);
    expect(await hooks.ended(id)).toMatchObject({ state: 'delivered', disabled_reason: null });
    const [stored] = await trellis.rows('SELECT disabled_at FROM hooks WHERE id = $1', [hook]);
    expect(stored).toEqual({ disabled_at: null });
  });

  it('shows no secret in the log', async () => {
    const receiver = await receivers.start(200);
    const url = receiver.url.replace('http://', 'http://user:passphrase@');
    const hook = await hooks.hook(url, { projectId: project.id, token: 'the-token' });
    const id = await hooks.queue(hook);
    await hooks.ended(id);
    const { body, text } = await trellis.as(owner).get(at(hook, id)).expect(200);
    const { request_headers: headers } = body as { request_headers: Record<string, string> };
    const [sent] = receiver.deliveries;
    expect(sent?.headers['x-gitlab-token']).toBe('the-token');
    expect(headers['webhook-id']).toBe(sent?.headers['webhook-id']);
    expect(headers['User-Agent']).toBe(sent?.headers['user-agent']);
    const secrets = [
      sent?.headers['webhook-signature'],
      sent?.headers.authorization,
      'the-token',
      'passphrase',
    ];
    for (const secret of secrets) expect(text).not.toContain(secret);
  });
});
