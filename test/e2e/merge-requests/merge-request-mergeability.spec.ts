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

describe('whether a merge request can be merged', () => {
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

  const told = async (id: number): Promise<string> => {
    const path = pathOf({ id, project_id: project.id });
    const { body } = await trellis.as(owner).get(path).expect(200);
    return (body as { merge_status: string }).merge_status;
  };
  const stored = async (id: number): Promise<string> => (await requests.row(id)).merge_status;
  const checkAll = () =>
    trellis.app.get(CheckMergeabilityJob).handle({ projectId: project.id }, RUN);

  it('is found out when it is read, and again after every push that may change it', async () => {
    const topic = await branches.commit('topic', head, 'file.txt');
    const id = await requests.open({ source: project, from: 'topic' });
    const { updated_at: before } = await requests.row(id);
    expect(await stored(id)).toBe('unchecked');
    expect(await told(id)).toBe('can_be_merged');
    expect(await requests.row(id)).toMatchObject({
      merge_status: 'can_be_merged',
      checked_target_sha: head,
      updated_at: before,
    });

    const conflicting = await branches.commit('master', head, 'file.txt');
    expect(await stored(id)).toBe('unchecked');
    expect(await told(id)).toBe('cannot_be_merged');
    expect((await requests.row(id)).updated_at).toEqual(before);

    await branches.push(`${head}:${HEADS}master`);
    expect(await told(id)).toBe('can_be_merged');
    await branches.push(`${conflicting}:${HEADS}master`);
    await branches.merge('solved', conflicting, head);
    await branches.push(`${topic}:${HEADS}master`, `${conflicting}:${HEADS}topic`);
    expect(await told(id)).toBe('cannot_be_merged');
    await branches.commit('topic', topic, 'other');
    expect(await told(id)).toBe('can_be_merged');
  });

  it('is no without commits, and as long as a branch is missing', async () => {
    await branches.push(`${head}:${HEADS}topic`, `${head}:${HEADS}stable`);
    const id = await requests.open({ source: project, from: 'topic', to: 'stable' });
    expect(await told(id)).toBe('cannot_be_merged');
    const topic = await branches.commit('topic', head);
    expect(await told(id)).toBe('can_be_merged');
    for (const [branch, oid] of [
      ['topic', topic],
      ['stable', head],
    ]) {
      await branches.push(`:${HEADS}${branch ?? ''}`);
      expect(await told(id)).toBe('cannot_be_merged');
      await branches.push(`${oid ?? ''}:${HEADS}${branch ?? ''}`);
      expect(await told(id)).toBe('can_be_merged');
    }
  });

  it('stays as it was when the request is closed', async () => {
    await branches.commit('topic', head, 'file.txt');
    const id = await requests.open({ source: project, from: 'topic' });
    expect(await told(id)).toBe('can_be_merged');
    const path = pathOf({ id, project_id: project.id });
    await trellis.as(owner).put(path, { state_event: 'close' }).expect(200);
    await branches.commit('master', head, 'file.txt');
    expect(await told(id)).toBe('can_be_merged');
    await trellis.as(owner).put(path, { state_event: 'reopen' }).expect(200);
    expect(await stored(id)).toBe('unchecked');
    expect(await told(id)).toBe('cannot_be_merged');
  });

  it('stays as it was when the request is merged, by accepting it or by a push', async () => {
    await branches.commit('topic', head);
    const other = await branches.commit('other', head);
    const accepted = await requests.open({ source: project, from: 'topic' });
    const pushed = await requests.open({ source: project, from: 'other' });
    for (const id of [accepted, pushed]) expect(await told(id)).toBe('can_be_merged');
    const path = pathOf({ id: accepted, project_id: project.id });
    await trellis.as(owner).put(`${path}/merge`).expect(200);
    expect(await told(accepted)).toBe('can_be_merged');
    expect(await stored(pushed)).toBe('unchecked');
    expect(await told(pushed)).toBe('can_be_merged');
    const { merge_commit_sha: master } = await requests.row(accepted);
    await branches.work.git('fetch', '--quiet', branches.work.remote, 'master');
    await branches.merge('master', master ?? '', other);
    expect(await requests.row(pushed)).toMatchObject({ state: 'merged' });
    expect(await told(pushed)).toBe('can_be_merged');
  });

  it('is found out in the background for all of a project, and by no list', async () => {
    const tips: string[] = [];
    for (let at = 0; at < 8; at += 1) {
      await branches.work.git('checkout', '--quiet', '--detach', head);
      const file = at % 2 === 0 ? 'file.txt' : `file-${String(at)}`;
      tips.push(await branches.work.commit(`Topic ${String(at)}`, file));
    }
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

  it('is found out for the others where git fails at one', async () => {
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

  it('is right after pushes and readers at once', async () => {
    await branches.commit('topic', head, 'file.txt');
    const id = await requests.open({ source: project, from: 'topic' });
    const conflicting = await branches.commit('aside', head, 'file.txt');
    for (let round = 0; round < 4; round += 1) {
      const isConflict = round % 2 === 0;
      await Promise.all([
        branches.push(`${isConflict ? conflicting : head}:${HEADS}master`),
        ...Array.from({ length: 6 }, () => told(id)),
        checkAll(),
      ]);
      expect(await told(id)).toBe(isConflict ? 'cannot_be_merged' : 'can_be_merged');
    }
  });
});
