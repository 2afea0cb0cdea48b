import type { MadeProject, Person } from '../../support/factories.js';
import { type PushedProject, PushedProjects } from '../../support/pushed-projects.js';
import { Trellis } from '../../support/trellis.js';

interface CommitBody {
  id: string;
  parent_ids: string[];
  message: string;
  committer_name: string;
}

describe('the merge ref of version 4', () => {
  let trellis: Trellis;
  let projects: PushedProjects;
  let owner: Person;
  let reporter: Person;
  let guest: Person;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    const { factories } = trellis;
    owner = await factories.user();
    reporter = await factories.user();
    guest = await factories.user();
    projects = new PushedProjects(trellis, owner);
  });
  afterAll(() => projects.remove());

  const v4 = (person: Person) => trellis.as(person).v4;
  const at = ({ id }: MadeProject) => `/projects/${String(id)}`;

  const commit = async (project: MadeProject, branch: string, file: string, text: string) => {
    const body = {
      branch,
      ...(branch === 'master' ? {} : { start_branch: 'master' }),
      commit_message: `Write ${file}`,
      actions: [{ action: 'create', file_path: file, content: text }],
    };
    const answer = await v4(owner)
      .post(`${at(project)}/repository/commits`, body)
      .expect(201);
    return (answer.body as CommitBody).id;
  };
  const open = async (project: MadeProject, source: string): Promise<string> => {
    const body = { source_branch: source, target_branch: 'master', title: source };
    const answer = await v4(owner)
      .post(`${at(project)}/merge_requests`, body)
      .expect(201);
    return `${at(project)}/merge_requests/${String((answer.body as { iid: number }).iid)}`;
  };
  async function makeRequest(): Promise<PushedProject & { request: string; head: string }> {
    const pushed = await projects.make();
    const { project } = pushed;
    for (const [person, level] of [
      [reporter, 20],
      [guest, 10],
    ] as const) {
      await v4(owner)
        .post(`${at(project)}/members`, { user_id: person.user.id, access_level: level })
        .expect(201);
    }
    const head = await commit(project, 'topic', 'topic.txt', 'topic');
    return { ...pushed, head, request: await open(project, 'topic') };
  }
  const fetched = async ({ work }: PushedProject): Promise<string> => {
    await work.git('fetch', '--quiet', work.remote, '+refs/merge-requests/1/merge:refs/x/merge');
    return (await work.git('rev-parse', 'refs/x/merge')).trim();
  };

  it('merges the present heads for readers of the code, and can be fetched', async () => {
    const pushed = await makeRequest();
    const { project, request, head } = pushed;
    const start = await commit(project, 'master', 'master.txt', 'master');
    await trellis.anonymous.v4.get(`${request}/merge_ref`).expect(401);
    const refused = await v4(guest).get(`${request}/merge_ref`).expect(404);
    expect(refused.body).toEqual({ message: '404 Not found' });
    const { body } = await v4(reporter).get(`${request}/merge_ref`).expect(200);
    const { commit_id: sha } = body as { commit_id: string };
    expect(body).toEqual({ commit_id: sha });
    expect(await fetched(pushed)).toBe(sha);
    const merge = await v4(owner)
      .get(`${at(project)}/repository/commits/${sha}`)
      .expect(200);
    expect(merge.body).toMatchObject({
      parent_ids: [start, head],
      message: `Merge ${head} into ${start}`,
      committer_name: reporter.user.name,
      // Addresses are published by those whom they belong to alone.
      author_email: `${reporter.user.username}@users.noreply.localhost`,
      committer_email: `${reporter.user.username}@users.noreply.localhost`,
    });
    const files = await pushed.work.git('ls-tree', '--name-only', sha);
    expect(files.trim().split('\n')).toEqual(
      expect.arrayContaining(['master.txt', 'topic.txt']) as unknown,
    );
    const state = await v4(owner).get(request).expect(200);
    expect(state.body).toMatchObject({ state: 'opened', merge_commit_sha: null });
  });

  it('stays while the heads do, and follows them', async () => {
    const pushed = await makeRequest();
    const { project, request } = pushed;
    const read = async () =>
      ((await v4(reporter).get(`${request}/merge_ref`).expect(200)).body as { commit_id: string })
        .commit_id;
    const first = await read();
    expect(await read()).toBe(first);
    expect(await Promise.all([read(), read(), read()])).toEqual([first, first, first]);
    await commit(project, 'master', 'later.txt', 'later');
    const [second, ...others] = await Promise.all([read(), read(), read(), read()]);
    expect(new Set(others)).toEqual(new Set([second]));
    expect(second).not.toBe(first);
    expect(await fetched(pushed)).toBe(second);
  });

  it('is refused where there is nothing to merge, and the ref stays', async () => {
    const pushed = await makeRequest();
    const { project, request } = pushed;
    await v4(owner).get(`${request}/merge_ref`).expect(200);
    const before = await fetched(pushed);
    await commit(project, 'master', 'topic.txt', 'conflict');
    const conflicting = await v4(owner).get(`${request}/merge_ref`).expect(400);
    expect(conflicting.body).toEqual({ message: 'Merge request is not mergeable' });
    expect(await fetched(pushed)).toBe(before);
    await v4(owner).put(request, { state_event: 'close' }).expect(200);
    await v4(owner).get(`${request}/merge_ref`).expect(400);
    await v4(owner)
      .get(`${at(project)}/merge_requests/99/merge_ref`)
      .expect(404);
  });
});
