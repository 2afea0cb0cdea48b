import { BranchWork } from '../../support/branch-work.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { FollowedRequests } from '../../support/followed-requests.js';
import { Forks } from '../../support/forks.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { Trellis } from '../../support/trellis.js';

const HEADS = 'refs/heads/';

describe('a push prints', () => {
  let trellis: Trellis;
  let owner: Person;
  let projects: PushedProjects;
  let requests: FollowedRequests;
  let project: MadeProject;
  let branches: BranchWork;
  let head: string;

  beforeAll(async () => {
    trellis = await Trellis.shared({ settings: { EXTERNAL_URL: 'https://git.example.com' } });
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    projects = new PushedProjects(trellis, owner);
    requests = new FollowedRequests(trellis, owner);
  });
  afterAll(async () => {
    await projects.remove();
    await trellis.restore();
  });
  beforeEach(async () => {
    ({ project, head, branches } = await BranchWork.begin(trellis, owner, projects));
  });

  const webOf = ({ fullPath }: MadeProject): string => `https://git.example.com/${fullPath}`;
  /** What the service has git print, line by line. */
  const adviceOf = async (...refspecs: string[]): Promise<string[]> =>
    (await branches.push(...refspecs)).map((line) => line.trim()).filter(Boolean);

  /** A request from a fork, which the pusher has checked out to push to its branch `topic`. */
  const openFromFork = async (contributor: Person, pusher = contributor): Promise<void> => {
    const forks = new Forks(trellis);
    const fork = await forks.make(contributor, project);
    await forks.copy(fork, project);
    if (pusher !== contributor) await trellis.factories.addToProject(fork, pusher, 30);
    branches = new BranchWork(trellis, fork, pusher);
    await branches.push(`${head}:${HEADS}topic`);
    const ofContributor = new FollowedRequests(trellis, contributor);
    await ofContributor.open({ source: fork, target: project, from: 'topic' });
  };

  it('the address to open a merge request for a branch, or that of the open one', async () => {
    expect(await adviceOf(`${head}:${HEADS}topic/ü&1`)).toEqual([
      'To create a merge request for topic/ü&1, visit:',
      `${webOf(project)}/merge_requests/new?merge_request%5Bsource_branch%5D=topic%2F%C3%BC%261`,
    ]);
    await requests.open({ source: project, from: 'topic/ü&1' });
    const next = branches.make(head);
    expect(await adviceOf(`${next}:${HEADS}topic/ü&1`)).toEqual([
      'View merge request for topic/ü&1:',
      `${webOf(project)}/merge_requests/1`,
    ]);
    const both = await adviceOf(`${head}:${HEADS}one`, `${head}:${HEADS}two`);
    expect(both.filter((line) => line.startsWith('To create')).sort()).toEqual([
      'To create a merge request for one, visit:',
      'To create a merge request for two, visit:',
    ]);
  });

  it('the address in the origin for branches of a fork', async () => {
    await openFromFork(await trellis.factories.user());
    const next = branches.make(head);
    expect(await adviceOf(`${next}:${HEADS}topic`)).toEqual([
      'View merge request for topic:',
      `${webOf(project)}/merge_requests/1`,
    ]);
  });

  it('nothing of a merge request in a project that the pusher cannot read', async () => {
    const helper = await trellis.factories.user();
    await openFromFork(await trellis.factories.user(), helper);
    let tip = head;
    const seeing = async (visibility: number): Promise<string[]> => {
      const level = 'UPDATE projects SET visibility_level = $2 WHERE id = $1';
      await trellis.rows(level, [project.id, visibility]);
      tip = branches.make(tip);
      return adviceOf(`${tip}:${HEADS}topic`);
    };
    const shown = ['View merge request for topic:', `${webOf(project)}/merge_requests/1`];
    expect(await seeing(10)).toEqual(shown);
    const [first = '', ...others] = await seeing(0);
    expect([first, ...others].join()).not.toContain(project.fullPath);
    expect(first).toBe('To create a merge request for topic, visit:');
    await trellis.factories.addToProject(project, helper, 10);
    expect(await seeing(0)).toEqual(shown);
    await trellis.rows('DELETE FROM project_members WHERE user_id = $1 AND project_id = $2', [
      helper.user.id,
      project.id,
    ]);
    await trellis.rows('UPDATE users SET external = true WHERE id = $1', [helper.user.id]);
    expect((await seeing(10)).join()).not.toContain(project.fullPath);
    expect(await seeing(20)).toEqual(shown);
  });

  it('nothing for default branches, deleted branches, tags and disabled merge requests', async () => {
    await branches.push(`${head}:${HEADS}topic`);
    const next = branches.make(head);
    expect(
      await adviceOf(`${next}:${HEADS}master`, `${next}:refs/tags/v1`, `:${HEADS}topic`),
    ).toEqual([]);
    await trellis
      .as(owner)
      .put(`/projects/${String(project.id)}`, { merge_requests_enabled: false })
      .expect(200);
    expect(await adviceOf(`${next}:${HEADS}topic`)).toEqual([]);
  });
});
