import type { Person } from '../../support/factories.js';
import { ALL_EVENTS } from '../../support/hooks.js';
import { openIssue, pathOf } from '../../support/issues.js';
import { openMergeRequest } from '../../support/merge-requests.js';
import { type PushedProject, PushedProjects } from '../../support/pushed-projects.js';
import { type Delivery, Receiver } from '../../support/receiver.js';
import { Trellis } from '../../support/trellis.js';
import { until } from '../../support/until.js';

jest.setTimeout(120_000);

/** The kinds of event by name, with the header of project hooks. */
const HEADERS: Record<string, string> = {
  push: 'Push Hook',
  tag_push: 'Tag Push Hook',
  issue: 'Issue Hook',
  note: 'Note Hook',
  merge_request: 'Merge Request Hook',
  build: 'Build Hook',
  pipeline: 'Pipeline Hook',
};

describe('Events of hooks', () => {
  let trellis: Trellis;
  let receiver: Receiver;
  let owner: Person;
  let projects: PushedProjects;
  let made: PushedProject;

  beforeAll(async () => {
    receiver = await Receiver.start();
    trellis = await Trellis.shared({ runsJobs: true });
    owner = await trellis.factories.admin();
    projects = new PushedProjects(trellis, owner);
    made = await projects.make();
  });
  afterAll(async () => {
    await projects.remove();
    await trellis.restore();
    await receiver.stop();
  });

  const kindOf = ({ body }: Delivery) =>
    (JSON.parse(body) as { object_kind?: string }).object_kind ?? '';
  const header = ({ headers }: Delivery, name: string) => headers[name];
  /** What arrived at a path, each message once, as soon as there is so much. */
  const arrived = async (path: string, count: number) => {
    const there = () => {
      const deliveries = receiver.deliveries.filter((delivery) => delivery.path === path);
      return new Map(deliveries.map((delivery) => [header(delivery, 'webhook-id'), delivery]));
    };
    while (there().size < count) await receiver.received(receiver.deliveries.length + 1);
    return [...there().values()];
  };
  const recorded = (id: number) =>
    trellis.rows<{ kind: string; message_id: string }>(
      `SELECT e.kind, d.message_id FROM hook_deliveries d JOIN hook_events e ON e.id = d.event_id
        WHERE d.hook_id = $1`,
      [id],
    );

  it('reach project hooks, each kind under its name', async () => {
    const { project, work, head } = made;
    const path = `/projects/${String(project.id)}`;
    const input = { url: `${receiver.url}/project`, token: 'a token', ...ALL_EVENTS };
    const { body } = await trellis.as(owner).post(`${path}/hooks`, input).expect(200);
    const { id } = body as { id: number };
    await work.commit('Topic', 'topic.txt');
    await work.push('HEAD:refs/heads/topic', 'HEAD:refs/tags/v1');
    const issue = await openIssue(trellis, owner, project);
    await trellis
      .as(owner)
      .post(`${pathOf(issue)}/notes`, { body: 'A note' })
      .expect(200);
    await openMergeRequest(trellis, owner, project, { source_branch: 'topic' });
    const status = { state: 'success', ref: 'master' };
    await trellis.as(owner).post(`${path}/statuses/${head}`, status).expect(200);
    const deliveries = await arrived('/project', 7);
    expect(deliveries.map(kindOf).sort()).toEqual(Object.keys(HEADERS).sort());
    const messages = new Map((await recorded(id)).map((row) => [row.kind, row.message_id]));
    for (const delivery of deliveries) {
      const kind = kindOf(delivery);
      expect(delivery.method).toBe('POST');
      expect(header(delivery, 'content-type')).toMatch(/^application\/json/);
      expect(header(delivery, 'x-gitlab-event')).toBe(HEADERS[kind]);
      expect(header(delivery, 'x-gitlab-token')).toBe('a token');
      expect(header(delivery, 'webhook-id')).toBe(messages.get(kind));
      expect(header(delivery, 'webhook-signature')).toMatch(/^v1,/);
    }
    const attempts = await until(async () => {
      const rows = await trellis.rows<{ state: string; attempts: number }>(
        'SELECT state, attempts FROM hook_deliveries WHERE hook_id = $1',
        [id],
      );
      return rows.every(({ state }) => state === 'delivered') && rows;
    });
    expect(attempts.map((row) => row.attempts)).toEqual(attempts.map(() => 1));
    const push = deliveries.find((delivery) => kindOf(delivery) === 'push');
    expect(JSON.parse(push?.body ?? '{}')).toMatchObject({
      ref: 'refs/heads/topic',
      commits: [{ message: 'Topic\n', added: ['topic.txt'], modified: [], removed: [] }],
    });
  });

  it('reach hooks of the instance', async () => {
    const input = { url: `${receiver.url}/system`, push_events: true };
    await trellis.as(owner).post('/hooks', input).expect(200);
    await made.work.push('HEAD:refs/heads/another');
    await trellis.factories.user();
    const deliveries = await arrived('/system', 2);
    const names = deliveries.map(
      ({ body }) => (JSON.parse(body) as { event_name: string }).event_name,
    );
    expect(names.sort()).toEqual(['push', 'user_create']);
    for (const delivery of deliveries) {
      expect(header(delivery, 'x-gitlab-event')).toBe('System Hook');
      expect(header(delivery, 'x-gitlab-token')).toBeUndefined();
      expect(header(delivery, 'webhook-signature')).toBeUndefined();
    }
  });
});
