import type { MadeProject, Person } from '../../support/factories.js';
import { projectObjects, QueueingHook, userObject } from '../../support/hooks.js';
import { type IssueBody, makeMilestone, openIssue, pathOf } from '../../support/issues.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

describe('Hooks are notified of issues', () => {
  let trellis: Trellis;
  let owner: Person;
  let reporter: Person;
  let project: MadeProject;
  let hook: QueueingHook;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    reporter = await trellis.factories.user();
  });

  beforeEach(async () => {
    project = await trellis.factories.project(owner);
    await trellis.factories.addToProject(project, reporter, 20);
    const flags = { issues_events: true, note_events: true };
    hook = await QueueingHook.ofProject(trellis, owner, project, flags);
  });

  const put = (issue: IssueBody, body: object) =>
    trellis.as(owner).put(pathOf(issue), body).expect(200);
  const actions = async () =>
    (await hook.queuedEvents()).map(({ body }) => {
      const { action, state } = body['object_attributes'] as { action: string; state: string };
      return `${action} ${state}`;
    });
  const attributes = (issue: IssueBody, others: object = {}) => ({
    id: issue.id,
    iid: issue.iid,
    title: issue.title,
    assignee_id: issue.assignee?.id ?? null,
    author_id: issue.author.id,
    project_id: project.id,
    created_at: issue.created_at,
    updated_at: issue.updated_at,
    position: 0,
    branch_name: null,
    description: issue.description,
    milestone_id: issue.milestone?.id ?? null,
    state: issue.state,
    updated_by_id: null,
    confidential: false,
    deleted_at: null,
    due_date: issue.due_date,
    moved_to_id: null,
    lock_version: 0,
    ...others,
  });

  it('that are opened, with all their attributes', async () => {
    const milestone = await makeMilestone(trellis, project, 'Soon');
    const issue = await openIssue(trellis, owner, project, {
      title: 'It breaks',
      description: 'Always',
      labels: 'b,a',
      assignee_id: reporter.user.id,
      milestone_id: milestone,
      due_date: '2030-01-31',
    });
    const shown = await projectObjects(trellis, owner, project);
    const label = (title: string) => ({
      id: expect.any(Number) as number,
      title,
      color: expect.stringMatching(/^#/) as string,
      description: null,
    });
    expect(await hook.queuedPayload()).toEqual({
      object_kind: 'issue',
      user: userObject(owner),
      project: shown.project,
      repository: shown.repository,
      object_attributes: attributes(issue, {
        milestone_id: milestone,
        due_date: '2030-01-31',
        url: `${shown.webUrl}/issues/${String(issue.iid)}`,
        action: 'open',
      }),
      labels: [label('a'), label('b')],
      assignee: userObject(reporter),
    });
  });

  it('that are edited, closed and reopened', async () => {
    const issue = await openIssue(trellis, reporter, project);
    const opened = await hook.queuedPayload();
    expect(opened).not.toHaveProperty('assignee');
    expect(opened).toMatchObject({ user: userObject(reporter), labels: [] });
    await put(issue, { title: issue.title });
    expect(await actions()).toEqual(['update opened']);
    await put(issue, { labels: 'new' });
    expect(await actions()).toEqual(['update opened']);
    await put(issue, { state_event: 'close', title: 'Both' });
    expect(await actions()).toEqual(['close closed', 'update closed']);
    await put(issue, { state_event: 'reopen' });
    const { object_attributes: reopened } = await hook.queuedPayload();
    expect(reopened).toMatchObject({
      action: 'reopen',
      state: 'opened',
      title: 'Both',
      updated_by_id: owner.user.id,
    });
    await trellis.as(owner).delete(pathOf(issue)).expect(200);
    expect(await hook.queuedEvents()).toEqual([]);
  });

  it('that are moved, in both projects', async () => {
    const target = await trellis.factories.project(owner);
    const there = await QueueingHook.ofProject(trellis, owner, target, { issues_events: true });
    const issue = await openIssue(trellis, owner, project);
    await hook.queuedEvents();
    const answer = await trellis
      .as(owner)
      .post(`${pathOf(issue)}/move`, { to_project_id: target.id })
      .expect(200);
    const { id } = answer.body as IssueBody;
    expect(await hook.queuedPayload()).toMatchObject({
      object_attributes: { action: 'close', state: 'closed', moved_to_id: id },
    });
    const arrived = { object_attributes: { id, action: 'open', project_id: target.id } };
    expect(await there.queuedPayload()).toMatchObject(arrived);
  });

  it('and of notes on them', async () => {
    const issue = await openIssue(trellis, owner, project);
    await hook.queuedEvents();
    const answer = await trellis
      .as(reporter)
      .post(`${pathOf(issue)}/notes`, { body: 'I see it too' })
      .expect(200);
    const note = answer.body as { id: number; created_at: string };
    const { body: seen } = await trellis.as(owner).get(pathOf(issue)).expect(200);
    const shown = await projectObjects(trellis, owner, project);
    expect(await hook.queuedPayload()).toEqual({
      object_kind: 'note',
      user: userObject(reporter),
      project_id: project.id,
      project: shown.project,
      repository: shown.repository,
      object_attributes: {
        id: note.id,
        note: 'I see it too',
        noteable_type: 'Issue',
        author_id: reporter.user.id,
        created_at: note.created_at,
        updated_at: note.created_at,
        project_id: project.id,
        attachment: null,
        line_code: null,
        commit_id: '',
        noteable_id: issue.id,
        system: false,
        st_diff: null,
        updated_by_id: null,
        type: null,
        url: `${shown.webUrl}/issues/${String(issue.iid)}#note_${String(note.id)}`,
      },
      issue: attributes(seen as IssueBody),
    });
    const path = `${pathOf(issue)}/notes/${String(note.id)}`;
    await trellis.as(reporter).put(path, { body: 'Not any more' }).expect(200);
    await trellis.as(reporter).delete(path).expect(200);
    expect(await hook.queuedEvents()).toEqual([]);
  });

  it('unless the issues are confidential', async () => {
    const secret = await openIssue(trellis, owner, project, { confidential: true });
    await trellis
      .as(owner)
      .post(`${pathOf(secret)}/notes`, { body: 'Hush' })
      .expect(200);
    await put(secret, { title: 'Hidden' });
    expect(await hook.queuedEvents()).toEqual([]);
    await put(secret, { confidential: false });
    expect(await actions()).toEqual(['update opened']);
    await put(secret, { confidential: true });
    expect(await hook.queuedEvents()).toEqual([]);
  });

  it('in archived projects too, and only by hooks that subscribe to issues', async () => {
    const other = await QueueingHook.ofProject(trellis, owner, project, { note_events: true });
    const elsewhere = await trellis.factories.project(owner);
    await trellis
      .as(owner)
      .post(`/projects/${String(project.id)}/archive`)
      .expect(200);
    await openIssue(trellis, owner, project);
    await openIssue(trellis, owner, elsewhere);
    expect(await actions()).toEqual(['open opened']);
    expect(await other.queuedEvents()).toEqual([]);
  });
});
