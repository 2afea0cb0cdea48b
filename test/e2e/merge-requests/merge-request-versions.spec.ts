import { BranchWork } from '../../support/branch-work.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { FollowedRequests } from '../../support/followed-requests.js';
import { TIMESTAMP } from '../../support/issues.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { memberOf } from '../../support/pushed-refs.js';
import { Trellis } from '../../support/trellis.js';

const HEADS = 'refs/heads/';
const ENDPOINTS = ['versions', 'versions/1', 'commits', 'changes'];

describe('what merge requests consist of', () => {
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

  it.each(ENDPOINTS)('is told to those who may read them: %s', async (rest) => {
    const { id } = await opened();
    await trellis.anonymous.get(pathTo(id, rest)).expect(401);
    await trellis.as(owner).get(`/projects/1/merge_requests/x/${rest}`).expect(400);
    await trellis.as(owner).get(pathTo(2_000_000, rest)).expect(404);
    const { project: other } = await projects.make();
    const elsewhere = `/projects/${String(other.id)}/merge_requests/${String(id)}/${rest}`;
    await trellis.as(owner).get(elsewhere).expect(404);
    await trellis
      .as(owner)
      .put(`/projects/${String(project.id)}`, { visibility_level: 0 })
      .expect(200);
    await trellis
      .as(await trellis.factories.user())
      .get(pathTo(id, rest))
      .expect(404);
    const guest = await memberOf(trellis, project, 10);
    await trellis.as(guest).get(pathTo(id, rest)).expect(403);
    const versions = await read<{ id: number }[]>(id, 'versions');
    const found = rest.replace('1', String(versions[0]?.id));
    await trellis
      .as(await memberOf(trellis, project, 20))
      .get(pathTo(id, found))
      .expect(200);
    await trellis
      .as(owner)
      .put(`/projects/${String(project.id)}`, { merge_requests_enabled: false })
      .expect(200);
    await trellis.as(owner).get(pathTo(id, found)).expect(403);
  });

  it('is recorded in versions, the newest first', async () => {
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

  it('is what the newest version has: its commits, and its changes with the request', async () => {
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

  it('never changes once they are closed', async () => {
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

  it('is nothing for a request without commits', async () => {
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
