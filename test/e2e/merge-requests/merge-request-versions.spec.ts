import { BranchWork } from '../../support/branch-work.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { FollowedRequests } from '../../support/followed-requests.js';
import { TIMESTAMP } from '../../support/issues.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { memberOf } from '../../support/pushed-refs.js';
import { Trellis } from '../../support/trellis.js';

const HEADS = 'refs/heads/';
const ENDPOINTS = ['versions', 'versions/1', 'commits', 'changes'];

describe('the commits and changes of a merge request', () => {
  let trellis: Trellis;
  let owner: Person;
  let stranger: Person;
  let guest: Person;
  let reporter: Person;
  let projects: PushedProjects;
  let project: MadeProject;
  let id: number;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    projects = new PushedProjects(trellis, owner);
    const begun = await BranchWork.begin(trellis, owner, projects);
    ({ project } = begun);
    await begun.branches.commit('topic', begun.head);
    id = await new FollowedRequests(trellis, owner).open({ source: project, from: 'topic' });
    await update({ visibility_level: 0 });
    stranger = await trellis.factories.user();
    guest = await memberOf(trellis, project, 10);
    reporter = await memberOf(trellis, project, 20);
  });
  afterAll(() => projects.remove());

  const update = (body: object) =>
    trellis
      .as(owner)
      .put(`/projects/${String(project.id)}`, body)
      .expect(200);
  const pathTo = (rest: string, of: number | string = id, within = project) =>
    `/projects/${String(within.id)}/merge_requests/${String(of)}/${rest}`;
  /** With the ID of a version that the request has. */
  const withVersion = async (rest: string): Promise<string> => {
    const { body } = await trellis.as(owner).get(pathTo('versions')).expect(200);
    return rest.replace('1', String((body as { id: number }[])[0]?.id));
  };

  it.each(ENDPOINTS)('are shown to reporters and above: %s', async (rest) => {
    await trellis.anonymous.get(pathTo(rest)).expect(401);
    await trellis.as(owner).get(pathTo(rest, 'x')).expect(400);
    await trellis.as(owner).get(pathTo(rest, 2_000_000)).expect(404);
    const other = await trellis.factories.project(owner);
    await trellis
      .as(owner)
      .get(pathTo(rest, id, other))
      .expect(404);
    await trellis.as(stranger).get(pathTo(rest)).expect(404);
    await trellis.as(guest).get(pathTo(rest)).expect(403);
    await trellis
      .as(reporter)
      .get(pathTo(await withVersion(rest)))
      .expect(200);
  });

  it('are refused with 403 where merge requests are disabled', async () => {
    const found = await Promise.all(ENDPOINTS.map(withVersion));
    await update({ merge_requests_enabled: false });
    for (const rest of found) await trellis.as(owner).get(pathTo(rest)).expect(403);
  });
});

describe('the contents of merge requests', () => {
  let trellis: Trellis;
  let owner: Person;
  let projects: PushedProjects;
  let requests: FollowedRequests;
  let project: MadeProject;
  let branches: BranchWork;
  let head: string;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    projects = new PushedProjects(trellis, owner);
    requests = new FollowedRequests(trellis, owner);
  });
  afterAll(() => projects.remove());
  beforeEach(async () => {
    ({ project, head, branches } = await BranchWork.begin(trellis, owner, projects));
  });

  const pathTo = (id: number, rest: string) =>
    `/projects/${String(project.id)}/merge_requests/${String(id)}/${rest}`;
  const read = async <Body>(id: number, rest: string, by = owner): Promise<Body> =>
    (await trellis.as(by).get(pathTo(id, rest)).expect(200)).body as Body;
  const opened = async () => {
    const topic = await branches.commit('topic', head);
    return { topic, id: await requests.open({ source: project, from: 'topic' }) };
  };

  it('are recorded in versions, the newest first', async () => {
    const { id, topic } = await opened();
    const later = await branches.commit('topic', topic, 'later');
    const versions = await read<{ id: number }[]>(id, 'versions');
    const common = { base_commit_sha: head, start_commit_sha: head, merge_request_id: id };
    const told = { ...common, id: expect.any(Number), created_at: TIMESTAMP, state: 'collected' };
    expect(versions).toEqual([
      { ...told, head_commit_sha: later, real_size: '2' },
      { ...told, head_commit_sha: topic, real_size: '1' },
    ]);
    const paged = await trellis.as(owner).get(pathTo(id, 'versions?per_page=1&page=2')).expect(200);
    expect(paged.body).toEqual(versions.slice(1));
    expect(paged.headers).toMatchObject({ 'x-total': '2', 'x-next-page': '' });

    const [, first] = versions;
    expect(await read(id, `versions/${String(first?.id)}`)).toEqual({
      ...first,
      commits: [
        {
          id: topic,
          short_id: topic.slice(0, 8),
          title: 'Change topic',
          author_name: 'Ada',
          author_email: 'ada@example.com',
          created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000\+00:00$/),
          message: 'Change topic\n',
        },
      ],
      diffs: [
        {
          old_path: 'topic',
          new_path: 'topic',
          a_mode: '0',
          b_mode: '100644',
          new_file: true,
          renamed_file: false,
          deleted_file: false,
          diff: '--- /dev/null\n+++ b/topic\n@@ -0,0 +1 @@\n+Change topic 2\n',
        },
      ],
    });
    const other = await branches.commit('other', head);
    const otherId = await requests.open({ source: project, from: 'other' });
    expect(other).not.toBe(topic);
    await trellis
      .as(owner)
      .get(pathTo(otherId, `versions/${String(first?.id)}`))
      .expect(404);
  });

  it('are the commits and changes of the newest version', async () => {
    const { id, topic } = await opened();
    await branches.commit('master', head, 'of master');
    const later = await branches.commit('topic', topic, 'later');
    const commits = await read<{ id: string }[]>(id, 'commits');
    expect(commits.map((commit) => commit.id)).toEqual([later, topic]);
    const paged = await trellis.as(owner).get(pathTo(id, 'commits?per_page=1')).expect(200);
    expect((paged.body as { id: string }[]).map((commit) => commit.id)).toEqual([later]);
    expect(paged.headers).toMatchObject({ 'x-total': '2', 'x-next-page': '2' });

    const { changes, ...request } = await read<{ changes: { new_path: string }[] }>(id, 'changes');
    expect(changes.map((change) => change.new_path).sort()).toEqual(['later', 'topic']);
    const single = await trellis
      .as(owner)
      .get(`/projects/${String(project.id)}/merge_requests/${String(id)}`)
      .expect(200);
    expect(request).toEqual(single.body);
    expect(request).toMatchObject({ id, sha: later, merge_status: 'can_be_merged' });
    const alias = `/projects/${String(project.id)}/merge_request/${String(id)}/changes`;
    expect((await trellis.as(owner).get(alias)).body).toEqual({ ...request, changes });
  });

  it('do not change after closing', async () => {
    const { id, topic } = await opened();
    await trellis
      .as(owner)
      .put(`/projects/${String(project.id)}/merge_requests/${String(id)}`, { state_event: 'close' })
      .expect(200);
    const all = () => Promise.all(['versions', 'commits', 'changes'].map((rest) => read(id, rest)));
    const before = await all();
    await branches.commit('topic', topic, 'later');
    await branches.push(`:${HEADS}topic`);
    await branches.commit('master', head, 'of master');
    expect(await all()).toEqual(before);
  });

  it('are empty for a request without commits', async () => {
    await branches.push(`${head}:${HEADS}same`);
    const id = await requests.open({ source: project, from: 'same' });
    expect(await read(id, 'commits')).toEqual([]);
    expect(await read(id, 'changes')).toMatchObject({
      changes: [],
      sha: head,
      merge_status: 'cannot_be_merged',
    });
    expect(await read(id, 'versions')).toMatchObject([{ state: 'empty', real_size: null }]);
  });
});
