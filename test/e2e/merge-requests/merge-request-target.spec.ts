import {
  type FollowPayload,
  PushFollower,
} from '../../../src/modules/merge-requests/pushes/push-follower.js';
import { UnitOfWork } from '../../../src/platform/database/index.js';
import { BranchWork } from '../../support/branch-work.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { FollowedRequests } from '../../support/followed-requests.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { Trellis } from '../../support/trellis.js';

const HEADS = 'refs/heads/';

describe('merge requests whose target branch is pushed to', () => {
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

  const statesOf = async (id: number) => (await requests.row(id)).state;

  it('are merged when it has their head', async () => {
    const topic = await branches.commit('topic', head);
    const id = await requests.open({ source: project, from: 'topic' });
    await branches.merge('master', head, topic);
    expect(await requests.row(id)).toMatchObject({ state: 'merged', merge_commit_sha: null });
    expect(await requests.versions(id)).toHaveLength(1);
  });

  it('are merged when one push moves both branches there', async () => {
    const topic = await branches.commit('topic', head);
    const id = await requests.open({ source: project, from: 'topic' });
    const later = await branches.work.commit('Later');
    await branches.push(`${later}:${HEADS}topic`, `${later}:${HEADS}master`);
    expect(await requests.row(id)).toMatchObject({ state: 'merged', head_sha: later });
    expect(await requests.versions(id)).toMatchObject([
      { head: topic },
      { head: later, start: head, state: 'collected' },
    ]);
  });

  it('have another version when it has a part of them or lost commits, else a new look only', async () => {
    const first = await branches.commit('topic', head, 'first');
    const second = await branches.commit('topic', first, 'second');
    const id = await requests.open({ source: project, from: 'topic' });
    const before = await requests.row(id);
    await trellis.rows(`UPDATE merge_requests SET merge_status = 'can_be_merged' WHERE id = $1`, [
      id,
    ]);
    const other = await branches.commit('master', head, 'other');
    expect(await requests.row(id)).toEqual(before);
    expect(await requests.versions(id)).toHaveLength(1);

    const partly = await branches.merge('master', other, first);
    expect((await requests.versions(id)).slice(1)).toMatchObject([
      { base: first, start: partly, head: second, size: '1' },
    ]);
    await branches.push(`${other}:${HEADS}master`);
    expect((await requests.versions(id)).slice(2)).toMatchObject([
      { base: head, start: other, head: second, size: '2' },
    ]);
    expect(await statesOf(id)).toBe('opened');
    expect(await requests.notes(id)).toEqual([]);
    expect((await requests.row(id)).updated_at).toEqual(before.updated_at);
  });

  it('are not merged by what has nothing to merge', async () => {
    await branches.push(`${head}:${HEADS}same`);
    const id = await requests.open({ source: project, from: 'same' });
    await branches.commit('master', head);
    expect(await statesOf(id)).toBe('opened');
    await branches.push(`:${HEADS}same`);
    expect(await statesOf(id)).toBe('opened');
  });

  it('live on when it is deleted and made again', async () => {
    const topic = await branches.commit('topic', head);
    await branches.push(`${head}:${HEADS}stable`);
    const id = await requests.open({ source: project, from: 'topic', to: 'stable' });
    await branches.push(`:${HEADS}stable`);
    expect(await requests.row(id)).toMatchObject({ state: 'opened', merge_status: 'unchecked' });
    await branches.push(`${head}:${HEADS}stable`);
    expect(await statesOf(id)).toBe('opened');
    await branches.push(`${topic}:${HEADS}stable`);
    expect(await statesOf(id)).toBe('merged');
  });

  it('wait for no build, and are not merged by a head of before, when their source is pushed meanwhile', async () => {
    const topic = await branches.commit('topic', head);
    await branches.push(`${head}:${HEADS}stable`);
    const id = await requests.open({ source: project, from: 'topic', to: 'stable' });
    const base = `/projects/${String(project.id)}/merge_requests/${String(id)}`;
    await trellis.as(owner).put(`${base}/merge`, { merge_when_build_succeeds: true }).expect(200);
    expect(await requests.row(id)).toMatchObject({ state: 'opened', merge_user_id: owner.user.id });
    await branches.push(`:${HEADS}stable`);
    expect(await requests.row(id)).toMatchObject({ merge_when_build_succeeds: true });
    const later = await branches.commit('topic', topic, 'later');
    expect(await requests.row(id)).toMatchObject({
      ...{ merge_when_build_succeeds: false, merge_user_id: null, head_sha: topic },
    });
    await branches.push(`${topic}:${HEADS}stable`);
    expect(await requests.row(id)).toMatchObject({ state: 'opened', head_sha: later });
    expect((await requests.versions(id)).slice(1)).toMatchObject([
      { start: topic, head: later, state: 'collected' },
    ]);
  });

  it('follow a push of very many branches in the background', async () => {
    const topic = await branches.commit('topic', head);
    const id = await requests.open({ source: project, from: 'topic' });
    await branches.work.git('checkout', '--quiet', '--detach', head);
    await branches.work.git('merge', '--quiet', '--no-ff', '--no-edit', topic);
    const many = Array.from({ length: 1001 }, (_, at) => `${head}:${HEADS}many/${String(at)}`);
    await branches.push(...many, `HEAD:${HEADS}master`);
    expect(await statesOf(id)).toBe('opened');
    const jobs = await trellis.rows<{ payload: FollowPayload }>(
      `SELECT payload FROM outbox
        WHERE name = 'follow-branches' AND payload->>'projectId' = $1 ORDER BY id`,
      [project.id],
    );
    expect(jobs.map(({ payload }) => payload.branches.length)).toEqual([1000, 2]);
    for (const { payload } of jobs) {
      await trellis.app.get(UnitOfWork).run(() => trellis.app.get(PushFollower).handle(payload));
    }
    expect(await statesOf(id)).toBe('merged');
  });

  it('take one walk for all of them, and a constant number of statements', async () => {
    const count = async (wanted: number) => {
      const made = await projects.make();
      const tips: string[] = [];
      for (let at = 0; at < wanted; at += 1) {
        await made.work.git('checkout', '--quiet', '--detach', made.head);
        tips.push(await made.work.commit(`Topic ${String(at)}`, `file-${String(at)}`));
      }
      await made.work.push(...tips.map((tip, at) => `${tip}:${HEADS}topic-${String(at)}`));
      for (let at = 0; at < wanted; at += 1) {
        await requests.open({ source: made.project, from: `topic-${String(at)}` });
      }
      await made.work.git('checkout', '--quiet', '--detach', made.head);
      await made.work.commit('Master goes on', 'other');
      const spawned = trellis.git.spawnCount;
      const statements = await trellis.statements.during(() =>
        made.work.push(`HEAD:${HEADS}master`),
      );
      return { statements: statements.length, processes: trellis.git.spawnCount - spawned };
    };
    await count(1);
    const few = await count(2);
    expect(await count(12)).toEqual(few);
  });
});
