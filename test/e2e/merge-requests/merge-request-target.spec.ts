import {
  type FollowPayload,
  PushFollower,
  type RecordPayload,
  RecordVersionJob,
} from '../../../src/modules/merge-requests/pushes/push-follower.js';
import { BranchWork } from '../../support/branch-work.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { FollowedRequests } from '../../support/followed-requests.js';
import { systemNotes } from '../../support/merge-requests.js';
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
  let follower: PushFollower;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    projects = new PushedProjects(trellis, owner);
    requests = new FollowedRequests(trellis, owner);
    follower = trellis.app.get(PushFollower);
  });
  afterAll(() => projects.remove());
  afterEach(() => Object.assign(follower, { branchesAtOnce: 1_000, requestsAtOnce: 50 }));
  beforeEach(async () => {
    ({ project, head, branches } = await BranchWork.begin(trellis, owner, projects));
  });

  const statesOf = async (id: number) => (await requests.row(id)).state;

  it('are merged when the target contains their head', async () => {
    const topic = await branches.commit('topic', head);
    const id = await requests.open({ source: project, from: 'topic' });
    await branches.merge('master', head, topic);
    expect(await requests.row(id)).toMatchObject({ state: 'merged', merge_commit_sha: null });
    expect(await requests.versions(id)).toHaveLength(1);
  });

  it('are merged when one push moves both branches to the same commit', async () => {
    const topic = await branches.commit('topic', head);
    const id = await requests.open({ source: project, from: 'topic' });
    const later = branches.make(topic, { message: 'Later' });
    await branches.push(`${later}:${HEADS}topic`, `${later}:${HEADS}master`);
    expect(await requests.row(id)).toMatchObject({ state: 'merged', head_sha: later });
    expect(await requests.versions(id)).toMatchObject([
      { head: topic },
      { head: later, start: head, state: 'collected' },
    ]);
  });

  it('get a new version when the merge base changes, otherwise only a new check', async () => {
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

  it('are not merged when there is nothing to merge', async () => {
    await branches.push(`${head}:${HEADS}same`);
    const id = await requests.open({ source: project, from: 'same' });
    await branches.commit('master', head);
    expect(await statesOf(id)).toBe('opened');
    await branches.push(`:${HEADS}same`);
    expect(await statesOf(id)).toBe('opened');
  });

  it('survive deletion and recreation of the branch', async () => {
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

  it('stop waiting for the build, and are not merged by an old head, after a concurrent push to the source', async () => {
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

  it('follow a push of more branches than the limit in the background', async () => {
    const topic = await branches.commit('topic', head);
    const id = await requests.open({ source: project, from: 'topic' });
    expect(follower.branchesAtOnce).toBe(1_000);
    Object.assign(follower, { branchesAtOnce: 3 });
    const many = [1, 2, 3, 4].map((at) => `${head}:${HEADS}many/${String(at)}`);
    await branches.push(...many, `${topic}:${HEADS}master`);
    expect(await statesOf(id)).toBe('opened');
    const jobs = await trellis.rows<{ payload: FollowPayload }>(
      `SELECT payload FROM outbox
        WHERE name = 'follow-branches' AND payload->>'projectId' = $1 ORDER BY id`,
      [project.id],
    );
    expect(jobs.map(({ payload }) => payload.branches.length)).toEqual([3, 2]);
    for (const { payload } of jobs) {
      await follower.handle(payload);
      await follower.handle(payload);
    }
    expect(await statesOf(id)).toBe('merged');
    expect(await systemNotes(trellis, { id })).toHaveLength(1);
  });

  it('of one source are updated with the push up to a limit, the others in the background', async () => {
    const topic = await branches.commit('topic', head);
    const targets = [1, 2, 3, 4].map((at) => `stable/${String(at)}`);
    await branches.push(...targets.map((name) => `${head}:${HEADS}${name}`));
    const ids: number[] = [];
    for (const to of targets) ids.push(await requests.open({ source: project, from: 'topic', to }));
    expect(follower.requestsAtOnce).toBe(50);
    Object.assign(follower, { requestsAtOnce: 2 });
    const later = await branches.commit('topic', topic, 'later');
    const headsOf = async () =>
      (await Promise.all(ids.map((id) => requests.row(id)))).map(({ head_sha }) => head_sha);
    expect(await headsOf()).toEqual([later, later, topic, topic]);
    const jobs = await trellis.rows<{ payload: RecordPayload }>(
      `SELECT payload FROM outbox
        WHERE name = 'record-version' AND payload->'push'->>'projectId' = $1 ORDER BY id`,
      [project.id],
    );
    expect(jobs.map(({ payload }) => payload.mergeRequestId)).toEqual(ids.slice(2));
    for (const { payload } of jobs) await trellis.app.get(RecordVersionJob).handle(payload);
    expect(await headsOf()).toEqual(ids.map(() => later));
  });

  it('take one walk for all of them, and a constant number of statements', async () => {
    const count = async (wanted: number) => {
      const begun = await BranchWork.begin(trellis, owner, projects);
      const names = Array.from({ length: wanted }, (_, at) => `topic-${String(at)}`);
      await begun.branches.push(
        ...names.map(
          (name) => `${begun.branches.make(begun.head, { file: name })}:${HEADS}${name}`,
        ),
      );
      for (const from of names) await requests.open({ source: begun.project, from });
      const spawned = trellis.git.spawnCount;
      const statements = await trellis.statements.during(() =>
        begun.branches.commit('master', begun.head, 'other'),
      );
      return { statements: statements.length, processes: trellis.git.spawnCount - spawned };
    };
    await count(1);
    const few = await count(2);
    expect(await count(12)).toEqual(few);
  });
});
