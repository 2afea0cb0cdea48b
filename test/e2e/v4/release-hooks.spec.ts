import { remoteOf } from '../../support/checkout.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { type PushedProject, PushedProjects } from '../../support/pushed-projects.js';
import { Receiver } from '../../support/receiver.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

interface Payload {
  action: string;
  tag: string;
  name: string;
  commit: { id: string } | null;
}

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/) as string;
const ID = expect.any(Number) as number;

describe('hooks of releases', () => {
  let trellis: Trellis;
  let receiver: Receiver;
  let projects: PushedProjects;
  let owner: Person;
  let made: PushedProject;
  let project: MadeProject;

  beforeAll(async () => {
    trellis = await Trellis.shared({ runsJobs: true });
    owner = await trellis.factories.user({ projectsLimit: 100 });
    projects = new PushedProjects(trellis, owner);
  });
  beforeEach(async () => {
    receiver = await Receiver.start();
    made = await projects.make();
    ({ project } = made);
  });
  afterEach(() => receiver.stop());
  afterAll(async () => {
    await projects.remove();
    await trellis.restore();
  });

  const at = (rest: string) => `/projects/${String(project.id)}${rest}`;
  const v4 = () => trellis.as(owner).v4;
  const hook = { push_events: false, releases_events: true };
  const addHook = (more: object = hook) =>
    v4()
      .post(at('/hooks'), { url: receiver.url, ...more })
      .expect(201);
  const payloads = async (count: number): Promise<Payload[]> => {
    await receiver.received(count);
    return receiver.deliveries.map(({ body }) => JSON.parse(body) as Payload);
  };

  it('are told of creation, changes and deletion, with the payload of version 4', async () => {
    expect((await addHook()).body).toMatchObject({ releases_events: true, push_events: false });
    const links = [{ name: 'Binary', url: 'https://a.example.com/x', link_type: 'package' }];
    const body = { tag_name: 'a/1', ref: 'master', name: 'One', description: 'Text' };
    await v4()
      .post(at('/releases'), { ...body, assets: { links } })
      .expect(201);
    const page = `${trellis.url}/${project.fullPath}`;
    const archive = `${trellis.url}/api/v4/projects/${String(project.id)}/repository/archive`;
    const [first] = await payloads(1);
    expect(receiver.deliveries[0]?.headers).toMatchObject({ 'x-gitlab-event': 'Release Hook' });
    const ssh = expect.stringContaining(`${project.fullPath}.git`) as string;
    expect(first).toEqual({
      ...{ object_kind: 'release', id: ID, created_at: TIME, description: 'Text', name: 'One' },
      ...{ released_at: TIME, tag: 'a/1', url: `${page}/-/releases/a%2F1`, action: 'create' },
      project: {
        ...{
          id: project.id,
          name: project.fullPath.split('/')[1],
          description: null,
          web_url: page,
        },
        ...{ avatar_url: null, git_ssh_url: ssh, git_http_url: `${page}.git` },
        ...{ namespace: owner.user.name, visibility_level: 0, ci_config_path: null },
        ...{ path_with_namespace: project.fullPath, default_branch: 'master', homepage: page },
        ...{ url: ssh, ssh_url: ssh, http_url: `${page}.git` },
      },
      assets: {
        count: 5,
        links: [{ id: ID, ...links[0] }],
        sources: ['zip', 'tar.gz', 'tar.bz2', 'tar'].map((format) => ({
          format,
          url: `${archive}.${format}?sha=a%2F1`,
        })),
      },
      commit: {
        id: made.head,
        message: expect.any(String) as string,
        title: expect.any(String) as string,
        timestamp: expect.any(String) as string,
        url: `${page}/-/commit/${made.head}`,
        author: { name: expect.any(String) as string, email: expect.any(String) as string },
      },
    });
    await v4().put(at('/releases/a%2F1'), { name: 'First' }).expect(200);
    await payloads(2);
    await v4().delete(at('/releases/a%2F1')).expect(200);
    const [, ...rest] = await payloads(3);
    expect(rest).toEqual([
      { ...first, name: 'First', action: 'update' },
      { ...first, name: 'First', action: 'delete' },
    ]);
  });

  it('are told of what version 3 and pushes do', async () => {
    await addHook();
    const v3 = trellis.as(owner);
    const tag = { tag_name: 'v1', ref: 'master', release_description: 'One' };
    await v3.post(at('/repository/tags'), tag).expect(200);
    await payloads(1);
    const release = at('/repository/tags/v1/release');
    await v3.put(release, { description: 'Two' }).expect(200);
    await payloads(2);
    await made.work.git('push', '--quiet', remoteOf(trellis, project, owner), ':refs/tags/v1');
    await payloads(3);
    await v3.post(at('/repository/tags'), { tag_name: 'v2', ref: 'master' }).expect(200);
    await v3.post(at('/repository/tags/v2/release'), { description: 'x' }).expect(200);
    const told = await payloads(4);
    expect(told.map(({ action, name, commit }) => [action, name, commit?.id])).toEqual([
      ['create', 'v1', made.head],
      ['update', 'v1', made.head],
      ['delete', 'v1', undefined],
      ['create', 'v2', made.head],
    ]);
  });

  it('of version 3 get none, even if version 4 sets the switch', async () => {
    const old = await trellis
      .as(owner)
      .post(at('/hooks'), { url: receiver.url, push_events: false, releases_events: true })
      .expect(200);
    const { id } = old.body as { id: number };
    expect(old.body).not.toHaveProperty('releases_events');
    const path = at(`/hooks/${String(id)}`);
    await v4().put(path, { releases_events: true }).expect(200);
    await v4().post(at('/releases'), { tag_name: 'v1', ref: 'master' }).expect(201);
    await addHook();
    await v4().post(at('/releases'), { tag_name: 'v2', ref: 'master' }).expect(201);
    expect((await payloads(1)).map(({ tag }) => tag)).toEqual(['v2']);
    const queued = 'SELECT FROM hook_deliveries WHERE hook_id = $1';
    expect(await trellis.rows(queued, [id])).toEqual([]);
  });
});
