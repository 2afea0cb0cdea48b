import { expectByRole, MASTERS } from '../../support/by-role.js';
import { makeCast } from '../../support/cast.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { HookDeliveries } from '../../support/hook-deliveries.js';
import { ALL_EVENTS, QueueingHook, userObject } from '../../support/hooks.js';
import { type PushedProject, PushedProjects } from '../../support/pushed-projects.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

const KINDS = ['push', 'tag_push', 'issue', 'note', 'merge_request', 'build', 'pipeline'];

type Body = Record<string, unknown>;

describe('A test delivery of a hook', () => {
  let trellis: Trellis;
  let owner: Person;
  let projects: PushedProjects;
  let empty: MadeProject;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    projects = new PushedProjects(trellis, owner);
    empty = await trellis.factories.project(owner);
  });
  afterAll(() => projects.remove());

  const at = (hook: number | string, { id }: { id: number } = empty) =>
    `/projects/${String(id)}/hooks/${String(hook)}/test`;

  it('requires a credential, a known kind and a hook of the project', async () => {
    const { id } = await QueueingHook.ofProject(trellis, owner, empty, {});
    await trellis.anonymous.post(at(id)).expect(401);
    const client = trellis.as(owner);
    for (const event of ['wiki_page', 'system', 'x']) {
      await client
        .post(at(id), { event })
        .expect(400, { error: 'event does not have a valid value' });
    }
    await client.post(at('x')).expect(400, { error: 'hook_id is invalid' });
    await client.post(at(2_000_000_000)).expect(404, { message: '404 Not found' });
    const other = await trellis.factories.project(owner);
    await client.post(at(id, other)).expect(404, { message: '404 Not found' });
  });

  it('is limited to masters', async () => {
    const cast = await makeCast(trellis);
    const hooks = new HookDeliveries(trellis);
    const places = new Map<number, string>();
    for (const project of Object.values(cast.projects)) {
      const client = trellis.as(cast.people.owner as Person);
      await client.post(`/projects/${String(project.id)}/issues`, { title: 'One' }).expect(200);
      const hook = await hooks.hook('http://example.com/', { projectId: project.id });
      places.set(project.id, at(hook, project));
    }
    await expectByRole(
      trellis,
      cast,
      (client, { id }) => client.post(places.get(id) ?? '', { event: 'issue' }),
      MASTERS,
    );
  });

  it.each(KINDS)('is refused when the project has no data for %s', async (event) => {
    const hook = await QueueingHook.ofProject(trellis, owner, empty, {});
    const { body } = await trellis.as(owner).post(at(hook.id), { event }).expect(422);
    expect(body).toEqual({
      error: expect.stringMatching(/^The project has no .* to test the hook with$/) as string,
    });
    expect(await hook.queuedEvents()).toEqual([]);
  });

  it('excludes confidential issues', async () => {
    const project = await trellis.factories.project(owner);
    const client = trellis.as(owner);
    const issues = `/projects/${String(project.id)}/issues`;
    const { body } = await client.post(issues, { title: 'Secret', confidential: true }).expect(200);
    const { id } = body as { id: number };
    await client.post(`${issues}/${String(id)}/notes`, { body: 'Secret too' }).expect(200);
    const hook = await QueueingHook.ofProject(trellis, owner, project, ALL_EVENTS);
    await client.post(at(hook.id, project), { event: 'issue' }).expect(422);
    await client.post(at(hook.id, project), { event: 'note' }).expect(422);
    expect(await hook.queuedEvents()).toEqual([]);
  });

  it('excludes notes on deleted objects', async () => {
    const project = await trellis.factories.project(owner);
    const client = trellis.as(owner);
    const issues = `/projects/${String(project.id)}/issues`;
    const { body } = await client.post(issues, { title: 'Gone' }).expect(200);
    const issue = `${issues}/${String((body as { id: number }).id)}`;
    await client.post(`${issue}/notes`, { body: 'Gone too' }).expect(200);
    await client.delete(issue).expect(200);
    const hook = await QueueingHook.ofProject(trellis, owner, project, ALL_EVENTS);
    await client.post(at(hook.id, project), { event: 'note' }).expect(422);
    expect(await hook.queuedEvents()).toEqual([]);
  });

  it('enables a disabled hook', async () => {
    const project = await trellis.factories.project(owner);
    const client = trellis.as(owner);
    await client.post(`/projects/${String(project.id)}/issues`, { title: 'One' }).expect(200);
    const hook = await QueueingHook.ofProject(trellis, owner, project, {});
    await trellis.rows(
      `UPDATE hooks SET disabled_at = now(), disabled_reason = 'failing' WHERE id = $1`,
      [hook.id],
    );
    await client.post(at(hook.id, project), { event: 'issue' }).expect(200);
    const stored = 'SELECT disabled_at, disabled_reason FROM hooks WHERE id = $1';
    const [row] = await trellis.rows(stored, [hook.id]);
    expect(row).toEqual({ disabled_at: null, disabled_reason: null });
  });

  describe('sends the newest', () => {
    let made: PushedProject;
    let listening: QueueingHook;
    let deaf: QueueingHook;

    beforeEach(async () => {
      made = await projects.make();
      listening = await QueueingHook.ofProject(trellis, owner, made.project, ALL_EVENTS);
      deaf = await QueueingHook.ofProject(trellis, owner, made.project, {});
    });

    const path = (suffix: string) => `/projects/${String(made.project.id)}/${suffix}`;
    const post = (suffix: string, body: object) =>
      trellis.as(owner).post(path(suffix), body).expect(200);
    /** The payload of a kind that was queued when it happened. */
    const queued = async (kind: string): Promise<Body> => {
      const events = await listening.queuedEvents();
      return events.filter((event) => event.kind === kind).at(-1)?.body ?? {};
    };
    const tested = async (event?: string): Promise<Body> => {
      const input = event === undefined ? {} : { event };
      const { body } = await trellis.as(owner).post(at(deaf.id, made.project), input).expect(200);
      const [row] = await trellis.rows<{ id: string }>(
        'SELECT max(id) AS id FROM hook_deliveries WHERE hook_id = $1',
        [deaf.id],
      );
      expect(body).toMatchObject({
        id: Number(row?.id),
        event: event ?? 'push',
        status: 'pending',
        attempts: 0,
      });
      return deaf.queuedPayload();
    };
    /** The same change, now of no particular kind. */
    const asUpdate = (body: Body): Body => ({
      ...body,
      object_attributes: { ...(body['object_attributes'] as object), action: 'update' },
    });

    it('commit of the default branch, by default', async () => {
      await made.work.commit('Second', 'second.txt');
      await made.work.push('HEAD:refs/heads/master');
      expect(await tested()).toEqual(await queued('push'));
      expect(await tested('push')).toMatchObject({ ref: 'refs/heads/master' });
    });

    it('tag', async () => {
      await made.work.git('tag', '-a', '-m', 'One', 'v1');
      await made.work.push('refs/tags/v1');
      expect(await tested('tag_push')).toEqual(await queued('tag_push'));
    });

    it('issue', async () => {
      await post('issues', { title: 'First' });
      await post('issues', { title: 'Second', labels: 'a,b', assignee_id: owner.user.id });
      const original = await queued('issue');
      expect(original).toMatchObject({ user: userObject(owner) });
      expect(await tested('issue')).toEqual(asUpdate(original));
    });

    it('merge request', async () => {
      await made.work.commit('Topic', 'topic.txt');
      await made.work.push('HEAD:refs/heads/topic');
      const input = { source_branch: 'topic', target_branch: 'master', title: 'Merge it' };
      await post('merge_requests', input);
      expect(await tested('merge_request')).toEqual(asUpdate(await queued('merge_request')));
    });

    it('note, on an issue or otherwise on a commit', async () => {
      await post(`repository/commits/${made.head}/comments`, { note: 'On a commit' });
      expect(await tested('note')).toEqual(await queued('note'));
      const { body } = await post('issues', { title: 'First' });
      const { id } = body as { id: number };
      await post(`issues/${String(id)}/notes`, { body: 'On an issue' });
      expect(await tested('note')).toEqual(await queued('note'));
    });

    it('commit status, as a build and as a pipeline', async () => {
      await post(`statuses/${made.head}`, { state: 'success', ref: 'master', name: 'unit' });
      const events = await listening.queuedEvents();
      const original = (kind: string) => events.find((event) => event.kind === kind)?.body;
      expect(await tested('build')).toEqual(original('build'));
      expect(await tested('pipeline')).toEqual(original('pipeline'));
    });
  });
});
