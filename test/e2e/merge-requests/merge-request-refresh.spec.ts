import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { VersionsService } from '../../../src/modules/merge-requests/versions/versions.service.js';
import {
  type RecordPayload,
  RecordVersionJob,
} from '../../../src/modules/merge-requests/pushes/push-follower.js';
import { BranchWork } from '../../support/branch-work.js';
import type { Checkout } from '../../support/checkout.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { FollowedRequests } from '../../support/followed-requests.js';
import { pathOf } from '../../support/merge-requests.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { PushedRefs } from '../../support/pushed-refs.js';
import { Trellis } from '../../support/trellis.js';

const HEADS = 'refs/heads/';

describe('merge requests', () => {
  let trellis: Trellis;
  let owner: Person;
  let projects: PushedProjects;
  let requests: FollowedRequests;
  let project: MadeProject;
  let branches: BranchWork;
  let work: Checkout;
  let head: string;
  let refs: PushedRefs;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    projects = new PushedProjects(trellis, owner);
    requests = new FollowedRequests(trellis, owner);
  });
  afterAll(() => projects.remove());
  beforeEach(async () => {
    ({ project, head, branches, work } = await BranchWork.begin(trellis, owner, projects));
    refs = new PushedRefs(trellis, project);
  });

  describe('that are opened', () => {
    it('record a version, and keep its commits by refs', async () => {
      const topic = await branches.commit('topic', head);
      const id = await requests.open({ source: project, from: 'topic' });
      expect(await requests.versions(id)).toEqual([
        {
          id: expect.any(Number),
          base: head,
          start: head,
          head: topic,
          state: 'collected',
          size: '1',
        },
      ]);
      expect(await requests.row(id)).toMatchObject({ head_sha: topic, merge_status: 'unchecked' });
      expect(await refs.target('refs/merge-requests/1/head')).toBe(topic);
      expect(await refs.target(`refs/keep-around/${topic}`)).toBe(topic);
      expect(await refs.target(`refs/keep-around/${head}`)).toBe(head);
      const jobs = await trellis.rows(
        `SELECT payload FROM outbox
          WHERE name = 'check-mergeability' AND payload->>'projectId' = $1`,
        [project.id],
      );
      expect(jobs).toContainEqual({ payload: { projectId: project.id } });
    });

    it('are marked when there is nothing to merge, or no common history', async () => {
      await branches.push(`${head}:${HEADS}same`);
      const empty = await requests.open({ source: project, from: 'same' });
      expect(await requests.versions(empty)).toMatchObject([
        { base: head, state: 'empty', size: null },
      ]);
      const alone = branches.make(null, { file: 'alone.txt' });
      await branches.push(`${alone}:${HEADS}alone`);
      const unrelated = await requests.open({ source: project, from: 'alone' });
      expect(await requests.versions(unrelated)).toMatchObject([
        { base: null, start: head, head: alone, state: 'collected', size: '1' },
      ]);
    });

    it('show their head to fetches, and hide it from pushes', async () => {
      const topic = await branches.commit('topic', head);
      await requests.open({ source: project, from: 'topic' });
      await work.git('fetch', '--quiet', work.remote, 'refs/merge-requests/1/head');
      expect(await work.git('rev-parse', 'FETCH_HEAD')).toBe(topic);
      const listed = await work.git('ls-remote', work.remote);
      expect(listed).toContain('refs/merge-requests/1/head');
      expect(listed).not.toContain('keep-around');
      for (const ref of ['refs/merge-requests/1/head', `refs/keep-around/${topic}`]) {
        const { code, stderr } = await work.push('--force', `${head}:${ref}`);
        expect(code).not.toBe(0);
        expect(stderr).toContain('This ref is reserved.');
        expect(await refs.target(ref)).toBe(topic);
      }
    });
  });

  it('that are deleted cannot be fetched any more', async () => {
    const topic = await branches.commit('topic', head);
    const id = await requests.open({ source: project, from: 'topic' });
    await trellis
      .as(owner)
      .delete(pathOf({ id, project_id: project.id }))
      .expect(200);
    const [job] = await trellis.rows<{ payload: { projectId: number; iid: number } }>(
      `SELECT payload FROM outbox WHERE name = 'drop-head-ref' AND payload->>'projectId' = $1`,
      [project.id],
    );
    const payload = job!.payload;
    for (let run = 0; run < 2; run += 1) await trellis.app.get(VersionsService).handle(payload);
    expect(await refs.target('refs/merge-requests/1/head')).toBeNull();
    expect(await refs.target(`refs/keep-around/${topic}`)).toBe(topic);
  });

  describe('whose source branch is pushed to', () => {
    it('get a new version and a note, and stop waiting for the build', async () => {
      const topic = await branches.commit('topic', head);
      const id = await requests.open({ source: project, from: 'topic' });
      await trellis.rows(
        `UPDATE merge_requests
            SET merge_when_build_succeeds = true, merge_user_id = author_id, merge_status = 'can_be_merged',
                merge_commit_message = 'x', should_remove_source_branch = true
          WHERE id = $1`,
        [id],
      );
      await trellis.rows(
        `INSERT INTO todos (user_id, project_id, target_type, target_id, author_id, action)
         VALUES ($1, $2, 'MergeRequest', $3, $1, 'marked')`,
        [owner.user.id, project.id, id],
      );
      const before = await requests.row(id);
      const third = branches.make(topic, { message: 'One more' });
      const second = branches.make(third, { message: 'And\n\nmore' });
      await branches.push(`${second}:${HEADS}topic`);
      const after = await requests.row(id);
      expect(after).toMatchObject({
        head_sha: second,
        merge_status: 'unchecked',
        merge_when_build_succeeds: false,
        merge_user_id: null,
        merge_commit_message: null,
        should_remove_source_branch: false,
      });
      expect(after.updated_at.getTime()).toBeGreaterThan(before.updated_at.getTime());
      expect(await requests.versions(id)).toMatchObject([
        { head: topic },
        { head: second, size: '2' },
      ]);
      expect(await requests.notes(id)).toEqual([
        `added 2 commits\n* ${third.slice(0, 8)} - One more\n* ${second.slice(0, 8)} - And`,
      ]);
      expect(await refs.target('refs/merge-requests/1/head')).toBe(second);
      const todos = await trellis.rows(
        `SELECT state FROM todos WHERE target_type = 'MergeRequest' AND target_id = $1`,
        [id],
      );
      expect(todos).toEqual([{ state: 'done' }]);
    });

    it('are updated later if git fails, and not merged before that', async () => {
      const topic = await branches.commit('topic', head);
      const id = await requests.open({ source: project, from: 'topic' });
      await trellis.rows(
        `UPDATE merge_requests SET merge_when_build_succeeds = true, merge_user_id = author_id
          WHERE id = $1`,
        [id],
      );
      const lock = join(refs.folder, 'refs/merge-requests/1/head.lock');
      await writeFile(lock, '');
      const second = branches.make(topic, { message: 'One more' });
      await branches.push(`${second}:${HEADS}topic`);
      expect(await requests.row(id)).toMatchObject({
        merge_status: 'unchecked',
        merge_when_build_succeeds: false,
      });
      await rm(lock);
      const [job] = await trellis.rows<{ payload: RecordPayload }>(
        `SELECT payload FROM outbox
          WHERE name = 'record-version' AND payload->>'mergeRequestId' = $1::text`,
        [id],
      );
      await trellis.app.get(RecordVersionJob).handle(job!.payload);
      expect(await requests.row(id)).toMatchObject({ head_sha: second });
      expect(await requests.notes(id)).toEqual([
        `added 1 commit\n* ${second.slice(0, 8)} - One more`,
      ]);
      expect(await refs.target('refs/merge-requests/1/head')).toBe(second);
    });

    it('keep the commits of all versions after force pushes and git gc', async () => {
      const first = await branches.commit('topic', head, 'first');
      const id = await requests.open({ source: project, from: 'topic' });
      const second = await branches.commit('topic', head, 'second');
      await branches.push(`:${HEADS}topic`);
      await refs.git('gc', '--prune=now', '--quiet');
      for (const oid of [first, second]) {
        expect(await refs.git('cat-file', '-t', oid)).toBe('commit');
      }
      expect(await requests.versions(id)).toMatchObject([{ head: first }, { head: second }]);
      expect(await requests.notes(id)).toEqual([
        `added 1 commit\n* ${second.slice(0, 8)} - Change second`,
        'deleted source branch `topic`',
      ]);
      await refs.expectSound();
    });

    it('do not count commits of the target as new', async () => {
      const topic = await branches.commit('topic', head);
      const id = await requests.open({ source: project, from: 'topic' });
      const master = await branches.commit('master', head);
      const merge = await branches.merge('topic', topic, master);
      expect(await requests.notes(id)).toEqual([
        `added 1 commit\n* ${merge.slice(0, 8)} - Merge commit '${master}' into HEAD`,
      ]);
      expect((await requests.versions(id)).at(-1)).toMatchObject({ base: master, size: '1' });
    });

    it('stay open without the branch, and resume when it is pushed again', async () => {
      const topic = await branches.commit('topic', head);
      const id = await requests.open({ source: project, from: 'topic' });
      await branches.push(`:${HEADS}topic`);
      expect(await requests.row(id)).toMatchObject({
        state: 'opened',
        head_sha: topic,
        merge_status: 'unchecked',
      });
      await branches.push(`${topic}:${HEADS}topic`);
      expect(await requests.notes(id)).toEqual([
        'deleted source branch `topic`',
        'restored source branch `topic`',
      ]);
      expect(await requests.versions(id)).toHaveLength(1);
      const later = await branches.commit('topic', topic, 'later');
      expect((await requests.row(id)).head_sha).toBe(later);
    });

    it('do not change after they are closed or merged', async () => {
      const topic = await branches.commit('topic', head);
      const id = await requests.open({ source: project, from: 'topic' });
      for (const state of ['closed', 'merged']) {
        await trellis.rows('UPDATE merge_requests SET state = $2 WHERE id = $1', [id, state]);
        const before = await requests.row(id);
        await branches.commit('topic', topic, state);
        await branches.push(`:${HEADS}topic`);
        await branches.commit('master', head, state);
        expect(await requests.row(id)).toEqual(before);
        expect(await requests.versions(id)).toHaveLength(1);
        expect(await requests.notes(id)).toEqual([]);
        expect(await refs.target('refs/merge-requests/1/head')).toBe(topic);
      }
    });
  });
});
