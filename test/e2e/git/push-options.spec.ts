import type { MadeProject, Person } from '../../support/factories.js';
import { Forks } from '../../support/forks.js';
import { type PushedProject, PushedProjects } from '../../support/pushed-projects.js';
import { Trellis } from '../../support/trellis.js';

interface RequestBody {
  iid: number;
  title: string;
  description: string | null;
  source_branch: string;
  target_branch: string;
  labels: string[];
  milestone: { title: string } | null;
  assignees: { username: string }[];
  author: { username: string };
  project_id: number;
}

describe('push options', () => {
  let trellis: Trellis;
  let projects: PushedProjects;
  let owner: Person;
  let developer: Person;
  let pushed: PushedProject;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ projectsLimit: 100 });
    developer = await trellis.factories.user();
    projects = new PushedProjects(trellis, owner);
  });
  beforeEach(async () => {
    pushed = await projects.make({ visibilityLevel: 20 });
    const member = { user_id: developer.user.id, access_level: 30 };
    await v4(owner)
      .post(`${at(pushed.project)}/members`, member)
      .expect(201);
  });
  afterAll(() => projects.remove());

  const v4 = (person: Person) => trellis.as(person).v4;
  const at = ({ id }: MadeProject) => `/projects/${String(id)}`;
  const optionsOf = (options: readonly string[]): string[] =>
    options.flatMap((option) => ['-o', option]);

  /** Pushes a new commit to branches. @returns what git prints */
  async function push(
    { work }: Pick<PushedProject, 'work'>,
    branches: readonly string[],
    ...options: string[]
  ): Promise<string> {
    await work.commit('A title\n\nA text.');
    const refs = branches.map((branch) => `HEAD:refs/heads/${branch}`);
    const { code, stderr } = await work.try('push', ...optionsOf(options), work.remote, ...refs);
    expect([code, stderr]).toEqual([0, stderr]);
    return stderr;
  }
  const requestsOf = async (project: MadeProject): Promise<RequestBody[]> => {
    const path = `${at(project)}/merge_requests?scope=all&sort=asc`;
    return (await v4(owner).get(path).expect(200)).body as RequestBody[];
  };

  it('open a merge request and tell its address', async () => {
    const { project } = pushed;
    const printed = await push(pushed, ['topic'], 'merge_request.create', 'ci.skip', 'a=b');
    const requests = await requestsOf(project);
    expect(requests).toEqual([
      expect.objectContaining({
        iid: 1,
        title: 'A title',
        source_branch: 'topic',
        target_branch: 'master',
        labels: [],
        force_remove_source_branch: false,
        author: expect.objectContaining({ username: owner.user.username }) as unknown,
      }),
    ]);
    expect(printed).toContain('View merge request for topic:');
    expect(printed).toContain(`${project.fullPath}/merge_requests/1`);
  });

  it('describe it', async () => {
    const { project } = pushed;
    await v4(owner)
      .post(`${at(project)}/milestones`, { title: 'v1' })
      .expect(201);
    await push(pushed, ['stable']);
    await push(
      pushed,
      ['topic'],
      'merge_request.create',
      'merge_request.target=stable',
      'merge_request.title=Sing = louder',
      'merge_request.description=One\\n\\nTwo',
      'merge_request.label=bug',
      'merge_request.label=x y',
      'merge_request.milestone=v1',
      `merge_request.assign=@${developer.user.username}`,
      'merge_request.draft',
      'merge_request.remove_source_branch',
    );
    expect(await requestsOf(project)).toEqual([
      expect.objectContaining({
        title: 'Draft: Sing = louder',
        description: 'One\n\nTwo',
        target_branch: 'stable',
        labels: ['bug', 'x y'],
        draft: true,
        force_remove_source_branch: true,
        milestone: expect.objectContaining({ title: 'v1' }) as unknown,
        assignees: [expect.objectContaining({ username: developer.user.username })],
      }),
    ]);
  });

  it('change the open merge request of the branch', async () => {
    const { project } = pushed;
    await push(pushed, ['topic'], 'merge_request.create', 'merge_request.label=bug');
    await push(
      pushed,
      ['topic'],
      'merge_request.create',
      'merge_request.title=Other',
      'merge_request.label=new',
      'merge_request.unlabel=bug',
      `merge_request.assign=${owner.user.username}`,
    );
    await push(pushed, ['topic'], `merge_request.assign=${developer.user.username}`);
    const [request, ...others] = await requestsOf(project);
    expect(others).toEqual([]);
    expect(request).toMatchObject({ title: 'Other', labels: ['new'] });
    expect(request?.assignees.map(({ username }) => username)).toEqual([
      owner.user.username,
      developer.user.username,
    ]);
  });

  it('have it wait for its build, although none is reported yet', async () => {
    const { project } = pushed;
    await push(
      pushed,
      ['topic'],
      'merge_request.create',
      'merge_request.merge_when_pipeline_succeeds',
    );
    const path = `${at(project)}/merge_requests/1`;
    expect((await v4(owner).get(path)).body).toMatchObject({
      state: 'opened',
      merge_when_pipeline_succeeds: true,
    });
  });

  it.each([
    [['merge_request.title=x'], 'topic', 'there is none that is open.'],
    [['merge_request.create'], 'master', 'the source branch is the target branch.'],
    [['merge_request.create', 'merge_request.target=absent'], 'topic', 'invalid: targetBranch.'],
    [['merge_request.create', `merge_request.title=${'x'.repeat(256)}`], 'topic', 'invalid: title'],
  ])('of %j that cannot be followed refuse nothing: to %s', async (options, branch, text) => {
    const printed = await push(pushed, [branch], ...options);
    expect(printed).toContain(`Merge request of ${branch}: ${text}`);
    expect(await requestsOf(pushed.project)).toEqual([]);
    const { body } = await v4(owner)
      .get(`${at(pushed.project)}/repository/commits/${branch}`)
      .expect(200);
    expect((body as { title: string }).title).toBe('A title');
  });

  it('leave out what they name and is not there', async () => {
    const printed = await push(
      pushed,
      ['topic'],
      'merge_request.create',
      'merge_request.milestone=absent',
      'merge_request.assign=nobody-of-that-name',
    );
    expect(printed).toContain('Merge request of topic: there is no such milestone or user.');
    expect(await requestsOf(pushed.project)).toMatchObject([{ milestone: null, assignees: [] }]);
  });

  it('change nothing where merge requests are switched off', async () => {
    const { project } = pushed;
    await push(pushed, ['topic'], 'merge_request.create');
    await v4(owner).put(at(project), { merge_requests_access_level: 'disabled' }).expect(200);
    const options = ['merge_request.title=Other', 'merge_request.merge_when_pipeline_succeeds'];
    const printed = await push(pushed, ['topic'], ...options);
    expect(printed).toContain('Merge request of topic: the project has no merge requests.');
    await v4(owner).put(at(project), { merge_requests_access_level: 'enabled' }).expect(200);
    expect(await requestsOf(project)).toMatchObject([
      { title: 'A title', merge_when_pipeline_succeeds: false },
    ]);
  });

  it('apply to ten branches', async () => {
    const names = Array.from({ length: 11 }, (_, index) => `topic-${String(index)}`);
    const printed = await push(pushed, names, 'merge_request.create');
    expect(printed).toContain('Merge requests of 10 branches only were looked at.');
    expect(await requestsOf(pushed.project)).toHaveLength(10);
  });

  it('of a fork open a merge request into its source, and only what the pusher may', async () => {
    const stranger = await trellis.factories.user();
    const forks = new Forks(trellis);
    const fork = await forks.make(stranger, pushed.project);
    await forks.copy(fork, pushed.project);
    const work = await projects.checkoutWithCommit(fork, stranger);
    await push(
      { work },
      ['topic'],
      'merge_request.create',
      'merge_request.label=bug',
      `merge_request.assign=${owner.user.username}`,
    );
    expect(await requestsOf(pushed.project)).toEqual([
      expect.objectContaining({
        source_project_id: fork.id,
        labels: [],
        assignees: [],
        author: expect.objectContaining({ username: stranger.user.username }) as unknown,
      }),
    ]);
  });
});
