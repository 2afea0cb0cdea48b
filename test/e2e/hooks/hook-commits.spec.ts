import { createHash, randomBytes } from 'node:crypto';
import type { CoProcessPool } from '../../../src/git/process/co-process-pool.js';
import { transactionContext } from '../../../src/platform/database/unit-of-work.js';
import type { Person } from '../../support/factories.js';
import { projectObjects, QueueingHook, userObject } from '../../support/hooks.js';
import { type PushedProject, PushedProjects } from '../../support/pushed-projects.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

const ZEROS = '0'.repeat(40);
const TIMESTAMP = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string;
const STAMP = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/) as string;
const TEXT = expect.any(String) as string;
const NUMBER = expect.any(Number) as number;

interface StatusBody {
  id: number;
}

describe('Hooks are notified of commits', () => {
  let trellis: Trellis;
  let owner: Person;
  let developer: Person;
  let projects: PushedProjects;
  let made: PushedProject;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    developer = await trellis.factories.user();
    projects = new PushedProjects(trellis, owner);
  });
  afterAll(() => projects.remove());

  beforeEach(async () => {
    made = await projects.make();
    await trellis.factories.addToProject(made.project, developer, 30);
  });

  const commit = async (sha: string, message: string) => ({
    id: sha,
    message,
    timestamp: STAMP,
    url: `${(await projectObjects(trellis, owner, made.project)).webUrl}/commit/${sha}`,
    author: { name: TEXT, email: TEXT },
  });

  describe('that are commented on', () => {
    const comment = (sha: string, body: object) =>
      trellis
        .as(developer)
        .post(`/projects/${String(made.project.id)}/repository/commits/${sha}/comments`, body)
        .expect(200);
    const notePayload = async (sha: string, attributes: object) => {
      const shown = await projectObjects(trellis, owner, made.project);
      const url = `${shown.webUrl}/commit/${sha}#note_`;
      return {
        object_kind: 'note',
        user: userObject(developer),
        project_id: made.project.id,
        project: shown.project,
        repository: shown.repository,
        object_attributes: {
          id: NUMBER,
          noteable_type: 'Commit',
          author_id: developer.user.id,
          created_at: TIMESTAMP,
          updated_at: TIMESTAMP,
          project_id: made.project.id,
          attachment: null,
          line_code: null,
          commit_id: sha,
          noteable_id: null,
          system: false,
          st_diff: null,
          updated_by_id: null,
          type: null,
          url: expect.stringContaining(url) as string,
          ...attributes,
        },
        commit: await commit(sha, 'First commit\n'),
      };
    };

    it('as a whole', async () => {
      const hook = await QueueingHook.ofProject(trellis, owner, made.project, {
        note_events: true,
      });
      await comment('master', { note: 'Fine' });
      expect(await hook.queuedPayload()).toEqual(await notePayload(made.head, { note: 'Fine' }));
    });

    it('on a line', async () => {
      const hook = await QueueingHook.ofProject(trellis, owner, made.project, {
        note_events: true,
      });
      const place = { path: 'file.txt', line: 1, line_type: 'new' };
      await comment(made.head, { note: 'Here', ...place });
      const file = createHash('sha1').update('file.txt').digest('hex');
      expect(await hook.queuedPayload()).toEqual(
        await notePayload(made.head, {
          note: 'Here',
          line_code: `${file}_0_1`,
          type: 'LegacyDiffNote',
          st_diff: {
            diff: expect.stringContaining('+First commit') as string,
            new_path: 'file.txt',
            old_path: 'file.txt',
            a_mode: '0',
            b_mode: '100644',
            new_file: true,
            renamed_file: false,
            deleted_file: false,
          },
        }),
      );
    });
  });

  it('without asking git for differences that it does not keep while a comment is written', async () => {
    await QueueingHook.ofProject(trellis, owner, made.project, { note_events: true });
    const url = `/projects/${String(made.project.id)}/repository/commits`;
    const line = randomBytes(99).toString('hex');
    const content = `${line}\n`.repeat(450);
    const actions = Array.from({ length: 60 }, (_, n) => ({
      action: 'create',
      file_path: `large/${String(n)}`,
      content: `${String(n)}\n${content}`,
    }));
    const input = { branch_name: 'master', commit_message: 'Large', actions };
    const { body } = await trellis.as(owner).post(url, input).expect(200);
    const { id } = body as { id: string };
    const { pool } = Reflect.get(trellis.git, 'runtime') as { pool: CoProcessPool };
    const asked: { name: string; isInTransaction: boolean }[] = [];
    const request = pool.request.bind(pool);
    const spy = jest.spyOn(pool, 'request').mockImplementation((wanted) => {
      const isInTransaction = transactionContext.getStore() !== undefined;
      asked.push({ name: wanted.command.name, isInTransaction });
      return request(wanted);
    });
    const comment = { note: 'Here', path: 'large/5', line: 3, line_type: 'new' };
    try {
      await trellis.as(developer).post(`${url}/${id}/comments`, comment).expect(200);
    } finally {
      spy.mockRestore();
    }
    expect(asked).toContainEqual({ name: 'diff-tree', isInTransaction: false });
    expect(asked.filter(({ isInTransaction }) => isInTransaction)).toEqual([]);
  });

  describe('that statuses are posted for', () => {
    const post = async (body: object) => {
      const path = `/projects/${String(made.project.id)}/statuses/${made.head}`;
      const answer = await trellis.as(developer).post(path, body).expect(200);
      return answer.body as StatusBody;
    };

    it('as builds', async () => {
      const hook = await QueueingHook.ofProject(trellis, owner, made.project, {
        build_events: true,
      });
      const first = await post({ state: 'running', name: 'ci' });
      const shown = await projectObjects(trellis, owner, made.project);
      const build = {
        object_kind: 'build',
        ref: 'master',
        tag: false,
        before_sha: ZEROS,
        sha: made.head,
        build_id: first.id,
        build_name: 'ci',
        build_stage: 'external',
        build_status: 'running',
        build_started_at: TIMESTAMP,
        build_finished_at: null,
        build_duration: null,
        build_allow_failure: false,
        project_id: made.project.id,
        project_name: `${owner.user.name} / ${shown.project.name}`,
        user: { id: developer.user.id, name: developer.user.name, email: developer.user.email },
        commit: {
          id: first.id,
          sha: made.head,
          message: 'First commit\n',
          author_name: TEXT,
          author_email: TEXT,
          status: 'running',
          duration: null,
          started_at: TIMESTAMP,
          finished_at: null,
        },
        repository: shown.pushedRepository,
      };
      expect(await hook.queuedPayload()).toEqual(build);
      await post({ state: 'running', name: 'ci', description: 'No other state' });
      expect(await hook.queuedEvents()).toEqual([]);
      await post({ state: 'success', name: 'ci' });
      expect(await hook.queuedPayload()).toEqual({
        ...build,
        build_status: 'success',
        build_finished_at: TIMESTAMP,
        build_duration: NUMBER,
        commit: { ...build.commit, status: 'success', duration: NUMBER, finished_at: TIMESTAMP },
      });
    });

    it('for tags, also those with the name of a branch', async () => {
      await made.work.push('HEAD:refs/tags/v1', 'HEAD:refs/heads/v1');
      const hook = await QueueingHook.ofProject(trellis, owner, made.project, {
        build_events: true,
      });
      await post({ state: 'pending', ref: 'v1' });
      expect(await hook.queuedPayload()).toMatchObject({ ref: 'v1', tag: true });
    });

    it('as pipelines, when the combined status changes', async () => {
      const flags = { pipeline_events: true };
      const hook = await QueueingHook.ofProject(trellis, owner, made.project, flags);
      const first = await post({ state: 'pending', name: 'one' });
      const shown = await projectObjects(trellis, owner, made.project);
      const build = (id: number, name: string, status: string) => ({
        id,
        stage: 'external',
        name,
        status,
        created_at: TIMESTAMP,
        started_at: null,
        finished_at: null as string | null,
        when: 'on_success',
        manual: false,
        user: userObject(developer),
        runner: null,
        artifacts_file: { filename: null, size: null },
      });
      const pipeline = {
        object_kind: 'pipeline',
        object_attributes: {
          id: first.id,
          ref: 'master',
          tag: false,
          sha: made.head,
          before_sha: ZEROS,
          status: 'pending',
          stages: ['external'],
          created_at: TIMESTAMP,
          finished_at: null,
          duration: null,
        },
        user: userObject(developer),
        project: shown.brief,
        commit: await commit(made.head, 'First commit\n'),
        builds: [build(first.id, 'one', 'pending')],
      };
      expect(await hook.queuedPayload()).toEqual(pipeline);
      const second = await post({ state: 'pending', name: 'two' });
      expect(await hook.queuedEvents()).toEqual([]);
      await post({ state: 'success', name: 'one' });
      await hook.queuedEvents();
      await post({ state: 'failed', name: 'two' });
      expect(await hook.queuedPayload()).toEqual({
        ...pipeline,
        object_attributes: {
          ...pipeline.object_attributes,
          status: 'failed',
          finished_at: TIMESTAMP,
        },
        builds: [
          { ...build(first.id, 'one', 'success'), finished_at: TIMESTAMP },
          { ...build(second.id, 'two', 'failed'), finished_at: TIMESTAMP },
        ],
      });
    });
  });
});
