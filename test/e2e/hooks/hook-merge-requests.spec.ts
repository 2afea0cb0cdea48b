import type { Person } from '../../support/factories.js';
import { Forks } from '../../support/forks.js';
import { projectObjects, QueueingHook, userObject } from '../../support/hooks.js';
import { type MergeRequestBody, openMergeRequest, pathOf } from '../../support/merge-requests.js';
import { type PushedProject, PushedProjects } from '../../support/pushed-projects.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

const STAMP = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/) as string;

describe('Hooks of merge requests', () => {
  let trellis: Trellis;
  let owner: Person;
  let developer: Person;
  let projects: PushedProjects;
  let made: PushedProject;
  let hook: QueueingHook;
  let head: string;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    developer = await trellis.factories.user({ projectsLimit: 100 });
    projects = new PushedProjects(trellis, owner);
  });
  afterAll(() => projects.remove());

  beforeEach(async () => {
    made = await projects.make();
    await trellis.factories.addToProject(made.project, developer, 30);
    head = await made.work.commit('Topic', 'topic.txt');
    await made.work.push('HEAD:refs/heads/topic');
    const flags = { merge_requests_events: true, note_events: true };
    hook = await QueueingHook.ofProject(trellis, owner, made.project, flags);
  });

  const open = (body: object = {}) =>
    openMergeRequest(trellis, developer, made.project, { source_branch: 'topic', ...body });
  const put = (request: MergeRequestBody, body: object) =>
    trellis.as(owner).put(pathOf(request), body).expect(200);
  const actions = async () =>
    (await hook.queuedEvents()).map(({ body }) => {
      const { action, state } = body['object_attributes'] as { action: string; state: string };
      return `${action} ${state}`;
    });
  const attributes = async (request: MergeRequestBody, others: object = {}) => {
    const { project, webUrl } = await projectObjects(trellis, owner, made.project);
    return {
      id: request.id,
      iid: request.iid,
      target_branch: 'master',
      source_branch: 'topic',
      source_project_id: made.project.id,
      target_project_id: made.project.id,
      author_id: developer.user.id,
      assignee_id: null,
      title: request.title,
      description: request.description,
      created_at: request.created_at,
      updated_at: request.updated_at,
      milestone_id: null,
      state: 'opened',
      merge_status: expect.any(String) as string,
      merge_error: null,
      merge_params: { force_remove_source_branch: null },
      merge_when_build_succeeds: false,
      merge_user_id: null,
      merge_commit_sha: null,
      position: 0,
      locked_at: null,
      updated_by_id: null,
      deleted_at: null,
      lock_version: 0,
      source: project,
      target: project,
      last_commit: {
        id: head,
        message: 'Topic\n',
        timestamp: STAMP,
        url: `${webUrl}/commit/${head}`,
        author: { name: expect.any(String) as string, email: expect.any(String) as string },
      },
      work_in_progress: false,
      ...others,
    };
  };

  it('that are opened, with all their attributes', async () => {
    const request = await open({
      title: 'WIP: Add',
      description: 'Text',
      labels: 'later',
      assignee_id: owner.user.id,
      remove_source_branch: true,
    });
    const shown = await projectObjects(trellis, owner, made.project);
    expect(await hook.queuedPayload()).toEqual({
      object_kind: 'merge_request',
      user: userObject(developer),
      project: shown.project,
      repository: shown.repository,
      object_attributes: await attributes(request, {
        assignee_id: owner.user.id,
        merge_params: { force_remove_source_branch: '1' },
        work_in_progress: true,
        assignee: userObject(owner),
        url: `${shown.webUrl}/merge_requests/${String(request.iid)}`,
        action: 'open',
      }),
      labels: [expect.objectContaining({ title: 'later' })],
      assignee: userObject(owner),
    });
  });

  it('that are edited, closed and reopened', async () => {
    const request = await open();
    expect(await hook.queuedPayload()).not.toHaveProperty('assignee');
    await put(request, { title: request.title });
    expect(await actions()).toEqual(['update opened']);
    await put(request, { state_event: 'close', title: 'Both' });
    expect(await actions()).toEqual(['close closed', 'update closed']);
    await put(request, { state_event: 'reopen' });
    expect(await actions()).toEqual(['reopen reopened']);
    await trellis
      .as(owner)
      .post(`${pathOf(request)}/subscription`)
      .expect(200);
    await trellis.as(owner).get(pathOf(request)).expect(200);
    await trellis.as(owner).delete(pathOf(request)).expect(200);
    expect(await hook.queuedEvents()).toEqual([]);
  });

  it('whose source branch is pushed to', async () => {
    await open();
    await hook.queuedEvents();
    const next = await made.work.commit('More');
    await made.work.push('HEAD:refs/heads/topic');
    expect(await hook.queuedPayload()).toMatchObject({
      user: userObject(owner),
      object_attributes: { action: 'update', oldrev: head, last_commit: { id: next } },
    });
  });

  it('whose source branch is restored, without an old revision', async () => {
    await open();
    await made.work.push(':refs/heads/topic');
    await hook.queuedEvents();
    await made.work.push(`${head}:refs/heads/topic`);
    const { object_attributes: attributes } = await hook.queuedPayload();
    expect(attributes).toMatchObject({ action: 'update', last_commit: { id: head } });
    expect(attributes).not.toHaveProperty('oldrev');
  });

  it('that are accepted, or merged by a push', async () => {
    const request = await open();
    await hook.queuedEvents();
    await trellis
      .as(owner)
      .put(`${pathOf(request)}/merge`)
      .expect(200);
    const { object_attributes: merged } = await hook.queuedPayload();
    expect(merged).toMatchObject({
      action: 'merge',
      state: 'merged',
      merge_commit_sha: expect.stringMatching(/^[0-9a-f]{40}$/) as string,
      last_commit: { id: head },
    });
    await made.work.commit('Aside', 'aside.txt');
    await made.work.push('HEAD:refs/heads/aside');
    await openMergeRequest(trellis, developer, made.project, {
      source_branch: 'aside',
      target_branch: 'topic',
    });
    await hook.queuedEvents();
    await made.work.push('HEAD:refs/heads/topic');
    expect(await actions()).toEqual(['merge merged']);
  });

  it('send `merge_params` as submitted', async () => {
    const params = async () =>
      (await hook.queuedEvents()).map(({ body }) => {
        const { merge_params: given } = body['object_attributes'] as { merge_params: object };
        return given;
      });
    const request = await open({ remove_source_branch: false });
    expect(await params()).toEqual([{ force_remove_source_branch: '0' }]);
    await put(request, { remove_source_branch: true });
    expect(await params()).toEqual([{ force_remove_source_branch: '1' }]);
    await trellis
      .as(owner)
      .put(`${pathOf(request)}/merge`, { should_remove_source_branch: false })
      .expect(200);
    const accepted = { force_remove_source_branch: '1', should_remove_source_branch: '0' };
    expect(await params()).toEqual([accepted]);
    await made.work.commit('Aside', 'aside.txt');
    await made.work.push('HEAD:refs/heads/aside');
    const other = await open({ source_branch: 'aside' });
    await hook.queuedEvents();
    await put(other, { remove_source_branch: false });
    expect(await params()).toEqual([{ force_remove_source_branch: '0' }]);
    await trellis
      .as(owner)
      .post(`${pathOf(request)}/notes`, { body: 'Merged' })
      .expect(200);
    const [note] = await hook.queuedEvents();
    expect(note?.body['merge_request']).toMatchObject({ merge_params: accepted });
  });

  it('send `merge_params` of an acceptance that waits for the build until it is cancelled', async () => {
    const request = await open();
    const where = `/projects/${String(made.project.id)}/statuses/${head}`;
    await trellis.as(owner).post(where, { state: 'running', ref: 'topic' }).expect(200);
    const wish = { merge_when_build_succeeds: true, should_remove_source_branch: true };
    await trellis
      .as(owner)
      .put(`${pathOf(request)}/merge`, wish)
      .expect(200);
    await hook.queuedEvents();
    const shown = async () => {
      await put(request, { title: request.title });
      return (await hook.queuedPayload())['object_attributes'];
    };
    expect(await shown()).toMatchObject({
      merge_when_build_succeeds: true,
      merge_params: { force_remove_source_branch: null, should_remove_source_branch: '1' },
    });
    await trellis
      .as(owner)
      .put(`${pathOf(request)}/cancel_merge_when_build_succeeds`)
      .expect(200);
    expect(await shown()).toHaveProperty('merge_params', { force_remove_source_branch: null });
  });

  it('that come from a fork, in the target project', async () => {
    const forks = new Forks(trellis);
    const fork = await forks.make(developer, made.project);
    await forks.copy(fork, made.project);
    const silent = await QueueingHook.ofProject(trellis, developer, fork, {
      merge_requests_events: true,
    });
    const body = { title: 'Forked', source_branch: 'topic', target_branch: 'master' };
    await trellis
      .as(developer)
      .post(`/projects/${String(fork.id)}/merge_requests`, {
        ...body,
        target_project_id: made.project.id,
      })
      .expect(200);
    const there = await projectObjects(trellis, developer, fork);
    const here = await projectObjects(trellis, owner, made.project);
    expect(await hook.queuedPayload()).toMatchObject({
      project: here.project,
      object_attributes: {
        source_project_id: fork.id,
        target_project_id: made.project.id,
        source: there.project,
        target: here.project,
        last_commit: { id: head, url: `${here.webUrl}/commit/${head}` },
      },
    });
    expect(await silent.queuedEvents()).toEqual([]);
  });

  it('and of notes on them', async () => {
    const request = await open();
    await hook.queuedEvents();
    const { body } = await trellis
      .as(owner)
      .post(`${pathOf(request)}/notes`, { body: 'Looks good' })
      .expect(200);
    const note = body as { id: number; created_at: string };
    const { body: seen } = await trellis.as(owner).get(pathOf(request)).expect(200);
    const shown = await projectObjects(trellis, owner, made.project);
    expect(await hook.queuedPayload()).toEqual({
      object_kind: 'note',
      user: userObject(owner),
      project_id: made.project.id,
      project: shown.project,
      repository: shown.repository,
      object_attributes: {
        id: note.id,
        note: 'Looks good',
        noteable_type: 'MergeRequest',
        author_id: owner.user.id,
        created_at: note.created_at,
        updated_at: note.created_at,
        project_id: made.project.id,
        attachment: null,
        line_code: null,
        commit_id: '',
        noteable_id: request.id,
        system: false,
        st_diff: null,
        updated_by_id: null,
        type: null,
        url: `${shown.webUrl}/merge_requests/${String(request.iid)}#note_${String(note.id)}`,
      },
      merge_request: await attributes(seen as MergeRequestBody),
    });
  });
});
