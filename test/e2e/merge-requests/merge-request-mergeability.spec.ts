import { CheckMergeabilityJob } from '../../../src/modules/merge-requests/versions/check-mergeability.job.js';
import { BranchWork } from '../../support/branch-work.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { FollowedRequests } from '../../support/followed-requests.js';
import { mergeRequestsOf, pathOf } from '../../support/merge-requests.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { PushedRefs } from '../../support/pushed-refs.js';
import { Trellis } from '../../support/trellis.js';

const HEADS = 'refs/heads/';
const RUN = { jobId: '1', attempt: 1, signal: new AbortController().signal };

describe('the merge status of a merge request', () => {
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

  const mergeStatusOf = async (id: number): Promise<string> => {
    const path = pathOf({ id, project_id: project.id });
    const { body } = await trellis.as(owner).get(path).expect(200);
    return (body as { merge_status: string }).merge_status;
  };
  const stored = async (id: number): Promise<string> => (await requests.row(id)).merge_status;
  const checkAll = () =>
    trellis.app.get(CheckMergeabilityJob).handle({ projectId: project.id }, RUN);

  it('is checked on reads, and again after every push that may change it', async () => {
    const topic = await branches.commit('topic', head, 'file.txt');
    const id = await requests.open({ source: project, from: 'topic' });
    const { updated_at: before } = await requests.row(id);
    expect(await stored(id)).toBe('unchecked');
    expect(await mergeStatusOf(id)).toBe('can_be_merged');
    expect(await requests.row(id)).toMatchObject({
      merge_status: 'can_be_merged',
      checked_target_sha: head,
      updated_at: before,
    });

    const conflicting = await branches.commit('master', head, 'file.txt');
    expect(await stored(id)).toBe('unchecked');
    expect(await mergeStatusOf(id)).toBe('cannot_be_merged');
    expect((await requests.row(id)).updated_at).toEqual(before);

    await branches.push(`${head}:${HEADS}master`);
    expect(await mergeStatusOf(id)).toBe('can_be_merged');
    await branches.push(`${conflicting}:${HEADS}master`);
    await branches.merge('solved', conflicting, head);
    await branches.push(`${topic}:${HEADS}master`, `${conflicting}:${HEADS}topic`);
    expect(await mergeStatusOf(id)).toBe('cannot_be_merged');
    await branches.commit('topic', topic, 'other');
    expect(await mergeStatusOf(id)).toBe('can_be_merged');
  });

  it('is cannot_be_merged without commits, and while a branch is missing', async () => {
    await branches.push(`${head}:${HEADS}topic`, `${head}:${HEADS}stable`);
    const id = await requests.open({ source: project, from: 'topic', to: 'stable' });
    expect(await mergeStatusOf(id)).toBe('cannot_be_merged');
    const topic = await branches.commit('topic', head);
    expect(await mergeStatusOf(id)).toBe('can_be_merged');
    for (const [branch, oid] of [
      ['topic', topic],
      ['stable', head],
    ]) {
      await branches.push(`:${HEADS}${branch ?? ''}`);
      expect(await mergeStatusOf(id)).toBe('cannot_be_merged');
      await branches.push(`${oid ?? ''}:${HEADS}${branch ?? ''}`);
      expect(await mergeStatusOf(id)).toBe('can_be_merged');
    }
  });

  it('is kept when the request is closed', async () => {
    await branches.commit('topic', head, 'file.txt');
    const id = await requests.open({ source: project, from: 'topic' });
    expect(await mergeStatusOf(id)).toBe('can_be_merged');
    const path = pathOf({ id, project_id: project.id });
    await trellis.as(owner).put(path, { state_event: 'close' }).expect(200);
    await branches.commit('master', head, 'file.txt');
    expect(await mergeStatusOf(id)).toBe('can_be_merged');
    await trellis.as(owner).put(path, { state_event: 'reopen' }).expect(200);
    expect(await stored(id)).toBe('unchecked');
    expect(await mergeStatusOf(id)).toBe('cannot_be_merged');
  });

  it('is kept when the request is merged, by accepting it or by a push', async () => {
    await branches.commit('topic', head);
    const other = await branches.commit('other', head);
    const accepted = await requests.open({ source: project, from: 'topic' });
    const pushed = await requests.open({ source: project, from: 'other' });
    for (const id of [accepted, pushed]) expect(await mergeStatusOf(id)).toBe('can_be_merged');
    await branches.merge('master', head, other);
    expect(await requests.row(pushed)).toMatchObject({ state: 'merged' });
    expect(await mergeStatusOf(pushed)).toBe('can_be_merged');
    expect(await stored(accepted)).toBe('unchecked');
    expect(await mergeStatusOf(accepted)).toBe('can_be_merged');
    const path = pathOf({ id: accepted, project_id: project.id });
    await trellis.as(owner).put(`${path}/merge`).expect(200);
    expect(await mergeStatusOf(accepted)).toBe('can_be_merged');
  });

  it('is checked in the background for all requests of a project, and not by lists', async () => {
    const tips = Array.from({ length: 8 }, (_, at) =>
      branches.make(head, { file: at % 2 === 0 ? 'file.txt' : `file-${String(at)}` }),
    );
    await branches.push(...tips.map((tip, at) => `${tip}:${HEADS}topic-${String(at)}`));
    const ids: number[] = [];
    for (let at = 0; at < tips.length; at += 1) {
      ids.push(await requests.open({ source: project, from: `topic-${String(at)}` }));
    }
    await branches.commit('master', head, 'file.txt');

    const spawned = trellis.git.spawnCount;
    const list = await trellis.as(owner).get(mergeRequestsOf(project)).expect(200);
    const statuses = (list.body as { merge_status: string }[]).map((one) => one.merge_status);
    expect(new Set(statuses)).toEqual(new Set(['unchecked']));
    expect(trellis.git.spawnCount).toBe(spawned);

    await checkAll();
    for (const [at, id] of ids.entries()) {
      expect(await stored(id)).toBe(at % 2 === 0 ? 'cannot_be_merged' : 'can_be_merged');
    }
    const again = trellis.git.spawnCount;
    await checkAll();
    expect(trellis.git.spawnCount).toBe(again);
  });

  it('is checked for other requests when git fails for one', async () => {
    const broken = await branches.commit('broken', head, 'broken.txt');
    await branches.commit('sound', head, 'sound.txt');
    const ids: number[] = [];
    for (const from of ['broken', 'sound']) {
      ids.push(await requests.open({ source: project, from }));
    }
    await branches.commit('master', head, 'other.txt');
    const refs = new PushedRefs(trellis, project);
    const tree = await refs.git('rev-parse', `${broken}^{tree}`);
    await refs.damage(tree);
    await checkAll();
    expect(await Promise.all(ids.map(stored))).toEqual(['unchecked', 'can_be_merged']);
  });

  it('is right after concurrent pushes and reads', async () => {
    await branches.commit('topic', head, 'file.txt');
    const id = await requests.open({ source: project, from: 'topic' });
    const conflicting = await branches.commit('aside', head, 'file.txt');
    for (let round = 0; round < 4; round += 1) {
      const isConflict = round % 2 === 0;
      await Promise.all([
        branches.push(`${isConflict ? conflicting : head}:${HEADS}master`),
        ...Array.from({ length: 6 }, () => mergeStatusOf(id)),
        checkAll(),
      ]);
      expect(await mergeStatusOf(id)).toBe(isConflict ? 'cannot_be_merged' : 'can_be_merged');
    }
  });
});
