import { BranchWork } from '../../support/branch-work.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { FollowedRequests } from '../../support/followed-requests.js';
import { Forks } from '../../support/forks.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { PushedRefs } from '../../support/pushed-refs.js';
import { Trellis } from '../../support/trellis.js';

const HEADS = 'refs/heads/';

describe('merge requests from forks', () => {
  let trellis: Trellis;
  let owner: Person;
  let contributor: Person;
  let projects: PushedProjects;
  let requests: FollowedRequests;
  let forks: Forks;
  let target: MadeProject;
  let fork: MadeProject;
  let upstream: BranchWork;
  let branches: BranchWork;
  let head: string;
  let refs: PushedRefs;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    contributor = await trellis.factories.user({ projectsLimit: 1000 });
    projects = new PushedProjects(trellis, owner);
    requests = new FollowedRequests(trellis, contributor);
    forks = new Forks(trellis);
  });
  afterAll(() => projects.remove());
  beforeEach(async () => {
    ({
      project: target,
      head,
      branches: upstream,
    } = await BranchWork.begin(trellis, owner, projects));
    fork = await forks.make(contributor, target);
    await forks.copy(fork, target);
    branches = new BranchWork(trellis, fork, contributor, upstream);
    refs = new PushedRefs(trellis, target);
  });

  const pathTo = (id: number, rest = '') =>
    `/projects/${String(target.id)}/merge_requests/${String(id)}${rest}`;
  const changedFiles = async (id: number): Promise<string[]> => {
    const { body } = await trellis.as(owner).get(pathTo(id, '/changes')).expect(200);
    return (body as { changes: { new_path: string }[] }).changes.map((change) => change.new_path);
  };

  it('fetch only the commits of the source branch into the target', async () => {
    const topic = await branches.commit('topic', head);
    const other = await branches.commit('private', head);
    const id = await requests.open({ source: fork, target, from: 'topic' });
    expect(await requests.versions(id)).toMatchObject([{ base: head, start: head, head: topic }]);
    expect(await refs.target('refs/merge-requests/1/head')).toBe(topic);
    expect(await refs.git('cat-file', '-t', topic)).toBe('commit');
    await expect(refs.git('cat-file', '-e', other)).rejects.toThrow();
    expect(await changedFiles(id)).toEqual(['topic']);
    await refs.expectSound();
  });

  it('follow pushes to the target and forced pushes to the fork', async () => {
    const topic = await branches.commit('topic', head);
    const id = await requests.open({ source: fork, target, from: 'topic' });
    const later = await branches.commit('topic', topic, 'later');
    const rewritten = await branches.commit('topic', head, 'rewritten');
    expect(await requests.versions(id)).toMatchObject([
      { head: topic },
      { head: later },
      { head: rewritten },
    ]);
    expect(await requests.notes(id)).toEqual([
      `added 1 commit\n* ${later.slice(0, 8)} - Change later`,
      `added 1 commit\n* ${rewritten.slice(0, 8)} - Change rewritten`,
    ]);
    await upstream.merge('master', head, rewritten);
    expect(await requests.row(id)).toMatchObject({ state: 'merged', merge_commit_sha: null });
    await refs.git('gc', '--prune=now', '--quiet');
    for (const oid of [topic, later, rewritten]) await refs.git('cat-file', '-e', oid);
    await refs.expectSound();
  });

  it('keep their commits and changes when the fork is deleted', async () => {
    await branches.commit('topic', head);
    const id = await requests.open({ source: fork, target, from: 'topic' });
    const all = () =>
      Promise.all(
        ['/versions', '/commits'].map(async (rest) => {
          const answer = await trellis.as(owner).get(pathTo(id, rest)).expect(200);
          return answer.body as unknown;
        }),
      );
    const before = await all();
    await trellis
      .as(contributor)
      .delete(`/projects/${String(fork.id)}`)
      .expect(200);
    await forks.purge(fork);
    expect(await all()).toEqual(before);
    expect(await changedFiles(id)).toEqual(['topic']);
    await refs.expectSound();
  });

  it('are reopened and retargeted only by readers of the source code', async () => {
    const topic = await branches.commit('topic', head);
    await upstream.commit('other', head);
    const former = await trellis.factories.user();
    await trellis.factories.addToProject(fork, former, 30);
    const ofFormer = new FollowedRequests(trellis, former);
    const id = await ofFormer.open({ source: fork, target, from: 'topic' });
    const heads = async () => (await requests.versions(id)).map((version) => version.head);
    const change = (body: object, by: Person) => trellis.as(by).put(pathTo(id), body);
    await change({ state_event: 'close' }, owner).expect(200);
    await trellis.rows('UPDATE projects SET visibility_level = 0 WHERE id = $1', [fork.id]);
    const later = await branches.commit('topic', topic, 'later');

    const setLevel = (level: number) =>
      trellis.rows('UPDATE project_members SET access_level = $1 WHERE user_id = $2', [
        level,
        former.user.id,
      ]);
    await setLevel(10);
    for (const stranger of [former, owner]) {
      await change({ state_event: 'reopen' }, stranger).expect(403);
      await change({ target_branch: 'other', state_event: 'reopen' }, stranger).expect(403);
      await change({ target_branch: 'other' }, stranger).expect(403);
      await change({ title: 'Renamed' }, stranger).expect(200);
    }
    expect(await heads()).toEqual([topic]);

    await setLevel(20);
    await change({ state_event: 'reopen' }, former).expect(200);
    expect(await heads()).toEqual([topic, later]);
    await setLevel(10);
    await change({ target_branch: 'other' }, former).expect(403);
    await change({ state_event: 'close' }, former).expect(200);
  });

  it('work between two forks of one name as well as within one', async () => {
    const topic = await branches.commit('topic', head);
    await upstream.commit('topic', head, 'upstream');
    const id = await requests.open({ source: fork, target, from: 'topic' });
    await upstream.commit('topic', head, 'again');
    expect(await requests.versions(id)).toHaveLength(1);
    await branches.push(`:${HEADS}topic`);
    expect(await requests.notes(id)).toEqual(['deleted source branch `topic`']);
    expect((await requests.row(id)).head_sha).toBe(topic);
  });

  it('follow concurrent pushes to both projects', async () => {
    await branches.commit('topic', head);
    const id = await requests.open({ source: fork, target, from: 'topic' });
    // From here on every push takes a commit away, and so is recorded whichever comes first.
    await upstream.commit('master', head);
    for (let round = 0; round < 5; round += 1) {
      const [source, base] = await Promise.all([
        branches.commit('topic', head, `topic-${String(round)}`),
        upstream.commit('master', head, `master-${String(round)}`),
      ]);
      const newest = (await requests.versions(id)).at(-1);
      expect(newest).toMatchObject({ base: head, start: base, head: source });
      expect(await requests.row(id)).toMatchObject({ state: 'opened', head_sha: source });
    }
    await refs.expectSound();
  });
});
