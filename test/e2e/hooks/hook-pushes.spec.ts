import { numberedMessages } from '../../support/checkout.js';
import type { Person } from '../../support/factories.js';
import { projectObjects, QueueingHook } from '../../support/hooks.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

const ZEROS = '0'.repeat(40);
const STAMP = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/) as string;

interface PushBody {
  ref: string;
  before: string;
  after: string;
  commits: { id: string; added: string[]; modified: string[]; removed: string[] }[];
  total_commits_count: number;
}

describe('Hooks are notified of pushes', () => {
  let trellis: Trellis;
  let owner: Person;
  let admin: Person;
  let projects: PushedProjects;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    admin = await trellis.factories.admin();
    projects = new PushedProjects(trellis, owner);
  });
  afterAll(() => projects.remove());
  afterEach(() => trellis.rows('DELETE FROM hooks WHERE project_id IS NULL'));

  const pusher = () => ({
    user_id: owner.user.id,
    user_name: owner.user.name,
    user_email: owner.user.email,
    user_avatar: expect.stringContaining('gravatar') as string,
  });

  it('until a push has made 10,000 deliveries', async () => {
    const { project, work, head } = await projects.make();
    for (let at = 0; at < 100; at += 1) {
      const url = `https://receiver.example.com/${String(at)}`;
      await QueueingHook.ofProject(trellis, owner, project, { url, tag_push_events: true });
    }
    const tags = Array.from({ length: 150 }, (_, at) => `${head}:refs/tags/v${String(at)}`);
    expect(await work.push(...tags)).toMatchObject({ code: 0 });
    const [counts] = await trellis.rows(
      `SELECT count(*)::int AS deliveries, count(DISTINCT event_id)::int AS events
         FROM hook_deliveries JOIN hooks ON hooks.id = hook_id WHERE project_id = $1`,
      [project.id],
    );
    expect(counts).toEqual({ deliveries: 10_000, events: 100 });
  });

  it('to branches, one by one, with the files of each commit', async () => {
    const { project, work, head } = await projects.make();
    const hook = await QueueingHook.ofProject(trellis, owner, project, { push_events: true });
    const deaf = await QueueingHook.ofProject(trellis, owner, project, { tag_push_events: true });
    await work.commit('Add', 'added.txt');
    await work.git('mv', 'added.txt', 'moved.txt');
    await work.git('rm', '--quiet', 'file.txt');
    const after = await work.commit('Move\n\nand more', 'other.txt');
    await work.push('HEAD:refs/heads/master');
    const shown = await projectObjects(trellis, owner, project);
    const author = { name: expect.any(String) as string, email: expect.any(String) as string };
    const body = await hook.queuedPayload();
    expect(body).toEqual({
      object_kind: 'push',
      event_name: 'push',
      before: head,
      after,
      ref: 'refs/heads/master',
      checkout_sha: after,
      message: null,
      ...pusher(),
      project_id: project.id,
      project: shown.project,
      repository: shown.pushedRepository,
      commits: [
        {
          id: await work.git('rev-parse', 'HEAD^'),
          message: 'Add\n',
          timestamp: STAMP,
          url: `${shown.webUrl}/commit/${await work.git('rev-parse', 'HEAD^')}`,
          author,
          added: ['added.txt'],
          modified: [],
          removed: [],
        },
        {
          id: after,
          message: 'Move\n\nand more\n',
          timestamp: STAMP,
          url: `${shown.webUrl}/commit/${after}`,
          author,
          added: ['moved.txt', 'other.txt'],
          modified: [],
          removed: ['file.txt'],
        },
      ],
      total_commits_count: 2,
    });
    expect(await deaf.queuedEvents()).toEqual([]);
  });

  it('that create and delete branches, without a limit on their number', async () => {
    const { project, work, head } = await projects.make();
    const hook = await QueueingHook.ofProject(trellis, owner, project, { push_events: true });
    const names = Array.from({ length: 60 }, (_, index) => `refs/heads/many/${String(index)}`);
    await work.push(...names.map((name) => `HEAD:${name}`));
    const made = await hook.queuedEvents();
    expect(made.map(({ body }) => body['ref']).sort()).toEqual([...names].sort());
    expect(made[0]?.body).toMatchObject({
      before: ZEROS,
      after: head,
      checkout_sha: head,
      commits: [],
      total_commits_count: 0,
    });
    await work.push('--delete', 'refs/heads/many/1');
    expect(await hook.queuedPayload()).toMatchObject({
      before: head,
      after: ZEROS,
      ref: 'refs/heads/many/1',
      checkout_sha: null,
      commits: [],
      total_commits_count: 0,
    });
  });

  it('with the newest twenty of many commits', async () => {
    const { project, work } = await projects.make();
    const hook = await QueueingHook.ofProject(trellis, owner, project, { push_events: true });
    const oids = await work.commitAll(numberedMessages(22));
    await work.push('HEAD:refs/heads/master');
    const body = (await hook.queuedPayload()) as unknown as PushBody;
    expect(body.total_commits_count).toBe(22);
    expect(body.commits.map(({ id }) => id)).toEqual(oids.slice(2));
    expect(body.commits[0]).toMatchObject({ added: [], modified: ['file.txt'], removed: [] });
  });

  it('to tags, with the messages of the tags', async () => {
    const { project, work, head } = await projects.make();
    const flags = { tag_push_events: true };
    const hook = await QueueingHook.ofProject(trellis, owner, project, flags);
    await work.git('tag', '--annotate', '--message', 'Version one', 'v1', 'HEAD');
    const tag = await work.git('rev-parse', 'v1');
    await work.push('v1');
    const shown = await projectObjects(trellis, owner, project);
    expect(await hook.queuedPayload()).toEqual({
      object_kind: 'tag_push',
      event_name: 'tag_push',
      before: ZEROS,
      after: tag,
      ref: 'refs/tags/v1',
      checkout_sha: head,
      message: expect.stringMatching(/^Version one\n?$/) as string,
      ...pusher(),
      project_id: project.id,
      project: shown.project,
      repository: shown.pushedRepository,
      commits: [expect.objectContaining({ id: head, added: ['file.txt'] })],
      total_commits_count: 1,
    });
    await work.push('HEAD:refs/tags/light');
    const light = { after: head, checkout_sha: head, message: null, total_commits_count: 1 };
    expect(await hook.queuedPayload()).toMatchObject(light);
    await work.push('--delete', 'refs/tags/v1');
    const gone = { before: tag, after: ZEROS, checkout_sha: null, message: null, commits: [] };
    expect(await hook.queuedPayload()).toMatchObject(gone);
  });

  it('that the API creates', async () => {
    const { project } = await projects.make();
    const flags = { push_events: true, tag_push_events: true };
    const hook = await QueueingHook.ofProject(trellis, owner, project, flags);
    const at = `/projects/${String(project.id)}/repository`;
    const file = {
      file_path: 'api.txt',
      branch_name: 'master',
      content: 'x',
      commit_message: 'By API',
    };
    await trellis.as(owner).post(`${at}/files`, file).expect(200);
    expect(await hook.queuedPayload()).toMatchObject({
      object_kind: 'push',
      ref: 'refs/heads/master',
      commits: [{ message: 'By API', added: ['api.txt'] }],
    });
    await trellis.as(owner).post(`${at}/tags`, { tag_name: 'v2', ref: 'master' }).expect(200);
    expect(await hook.queuedPayload()).toMatchObject({
      object_kind: 'tag_push',
      ref: 'refs/tags/v2',
    });
  });

  it('in every project, as hooks of the instance without commits', async () => {
    const { project, work } = await projects.make();
    const hook = await QueueingHook.ofInstance(trellis, admin, { push_events: true });
    const tags = await QueueingHook.ofInstance(trellis, admin, { tag_push_events: true });
    const after = await work.commit('Another');
    await work.push('HEAD:refs/heads/master', 'HEAD:refs/tags/v3');
    const nothing = { after, project_id: project.id, commits: [], total_commits_count: 0 };
    const body = await hook.queuedPayload();
    expect(body).toMatchObject({ object_kind: 'push', event_name: 'push', ...nothing });
    expect(await tags.queuedPayload()).toMatchObject({ event_name: 'tag_push', ...nothing });
  });

  it('unless they fail permanently', async () => {
    const { project, work } = await projects.make();
    const hook = await QueueingHook.ofProject(trellis, owner, project, { push_events: true });
    await trellis.rows('UPDATE hooks SET disabled_at = now() WHERE id = $1', [hook.id]);
    await work.push('HEAD:refs/heads/quiet');
    expect(await hook.queuedEvents()).toEqual([]);
  });
});
