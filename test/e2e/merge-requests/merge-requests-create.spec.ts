import type { Role } from '../../support/cast.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { makeMilestone, TIMESTAMP } from '../../support/issues.js';
import {
  type BranchedCast,
  eventsOn,
  makeBranchedCast,
  mergeRequestsOf,
  openMergeRequest,
  pathOf,
  rowOf,
  systemNotes,
  todosFor,
  versionsOf,
} from '../../support/merge-requests.js';
import { summaryOf } from '../../support/summaries.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

describe('opening merge requests', () => {
  let trellis: Trellis;
  let cast: BranchedCast;
  let project: MadeProject;
  let owner: Person;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    cast = await makeBranchedCast(trellis);
    project = cast.projects[20];
    owner = cast.people.owner as Person;
  });

  const person = (role: Role) => cast.people[role] as Person;
  const input = (body: object = {}) => ({
    ...{ title: 'Add a topic', source_branch: cast.fresh(), target_branch: 'master' },
    ...body,
  });
  const refused = async (body: object, status: number, place: { id: number } = project) => {
    const answer = await trellis.as(owner).post(mergeRequestsOf(place), body).expect(status);
    return answer.body as unknown;
  };
  const opened = (by: Person, body: object = {}) =>
    openMergeRequest(trellis, by, project, { source_branch: cast.fresh(), ...body });

  it('requires a credential, well-formed parameters and a project', async () => {
    await trellis.anonymous.post(mergeRequestsOf(project), input()).expect(401);
    const nowhere = { id: 2_147_483_647 };
    const fine = { title: 'x', source_branch: 'topic/1', target_branch: 'master' };
    for (const [body, error] of [
      [{}, 'source_branch is missing, target_branch is missing, title is missing'],
      [{ ...fine, title: null }, 'title is missing'],
      [{ ...fine, source_branch: ['topic'] }, 'source_branch is invalid'],
      [{ ...fine, target_branch: 'a\0b' }, 'target_branch is invalid'],
      [{ ...fine, assignee_id: 'mia' }, 'assignee_id is invalid'],
      [{ ...fine, milestone_id: 1.5 }, 'milestone_id is invalid'],
      [{ ...fine, target_project_id: 'upstream' }, 'target_project_id is invalid'],
      [{ ...fine, labels: { a: 1 } }, 'labels is invalid'],
      [{ ...fine, remove_source_branch: 'perhaps' }, 'remove_source_branch is invalid'],
    ] as const) {
      expect(await refused(body, 400, nowhere)).toEqual({ error });
    }
    expect(await refused(fine, 404, nowhere)).toEqual({ message: '404 Project Not Found' });
    expect(await refused({ title: ' ', source_branch: '', target_branch: '\n' }, 400)).toEqual({
      message: {
        source_branch: ["can't be blank"],
        target_branch: ["can't be blank"],
        title: ["can't be blank"],
      },
    });
    expect(await refused({ ...fine, title: 'ü'.repeat(256) }, 400)).toEqual({
      message: { title: ['is too long (maximum is 255 characters)'] },
    });
    const sql = 'SELECT 1 FROM merge_requests WHERE project_id = $1';
    expect(await trellis.rows(sql, [project.id])).toEqual([]);
  });

  it('requires two different, existing branches', async () => {
    for (const [body, fields] of [
      [{ source_branch: 'missing' }, ['source_branch']],
      [{ target_branch: 'missing' }, ['target_branch']],
      [
        { source_branch: '../master', target_branch: 'refs/heads/master' },
        ['source_branch', 'target_branch'],
      ],
      [{ source_branch: cast.topic }, ['source_branch']],
    ] as const) {
      const message = Object.fromEntries(fields.map((field) => [field, ['does not exist']]));
      expect(await refused(input(body), 400)).toEqual({ message });
    }
    expect(await refused(input({ source_branch: 'master' }), 422)).toEqual({
      error: ['You can not use same project/branch for source and target'],
    });
  });

  it('returns 409 for branches with an open merge request', async () => {
    const body = input({ title: 'Add "cache"' });
    const first = await trellis.as(owner).post(mergeRequestsOf(project), body).expect(200);
    const message = ['Cannot Create: This merge request already exists: ["Add \\"cache\\""]'];
    expect(await refused({ ...body, title: 'Another' }, 409)).toEqual({ message });
    await opened(owner, { source_branch: body.source_branch, target_branch: 'other' });
    const path = pathOf(first.body as { id: number; project_id: number });
    await trellis.as(owner).put(path, { state_event: 'close' }).expect(200);
    await opened(owner, { source_branch: body.source_branch });
  });

  it('creates one merge request for concurrent calls', async () => {
    const body = input();
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => trellis.as(owner).post(mergeRequestsOf(project), body)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
    const refusal = answers.find(({ status }) => status === 409)!;
    expect(refusal.body).toEqual({
      message: ['Cannot Create: This merge request already exists: ["Add a topic"]'],
    });
    const rows = await trellis.rows<{ iid: number }>(
      'SELECT iid FROM merge_requests WHERE project_id = $1 ORDER BY iid',
      [project.id],
    );
    expect(rows.map(({ iid }) => iid)).toEqual(rows.map((_, index) => index + 1));
  });

  it('requires developer, and fails where merge requests are disabled', async () => {
    const may = new Set<Role>(['developer', 'master', 'owner', 'admin', 'externalMember']);
    const members = new Set<Role>(['guest', 'reporter', 'groupMember', 'groupGuest', ...may]);
    for (const visibility of [0, 10, 20] as const) {
      for (const [name, caller] of Object.entries(cast.people)) {
        const role = name as Role;
        const client = caller === null ? trellis.anonymous : trellis.as(caller);
        const { status } = await client.post(mergeRequestsOf(cast.projects[visibility]), input());
        const isShown = visibility === 20 || (visibility === 10 && role !== 'external');
        const otherwise = members.has(role) || isShown ? 403 : 404;
        const isNobody = role === 'anonymous' || role === 'blocked';
        const expected = isNobody ? 401 : may.has(role) ? 200 : otherwise;
        expect([visibility, role, status]).toEqual([visibility, role, expected]);
      }
    }
    const path = `/projects/${String(project.id)}`;
    await trellis.as(owner).put(path, { merge_requests_enabled: false }).expect(200);
    await refused(input(), 403);
    await trellis.as(owner).put(path, { merge_requests_enabled: true }).expect(200);
    await trellis.as(owner).post(`${path}/archive`).expect(200);
    expect(await refused(input(), 403)).toEqual({ message: '403 Forbidden' });
    await trellis.as(owner).post(`${path}/unarchive`).expect(200);
  });

  it('accepts all fields', async () => {
    const [developer, guest] = [person('developer'), person('guest')];
    const milestoneId = await makeMilestone(trellis, project, 'v1');
    const body = input({
      title: '  WIP: Add a topic\n',
      description: `For @${guest.user.username}`,
      assignee_id: developer.user.id,
      milestone_id: milestoneId,
      labels: 'new, urgent,',
      remove_source_branch: true,
    });
    const { body: made } = (await trellis
      .as(developer)
      .post(mergeRequestsOf(project), body)
      .expect(200)) as { body: { id: number; iid: number; milestone: unknown } };
    expect(made).toEqual({
      id: expect.any(Number),
      iid: expect.any(Number),
      project_id: project.id,
      title: 'WIP: Add a topic',
      description: `For @${guest.user.username}`,
      state: 'opened',
      created_at: TIMESTAMP,
      updated_at: TIMESTAMP,
      target_branch: 'master',
      source_branch: body.source_branch,
      upvotes: 0,
      downvotes: 0,
      author: summaryOf(trellis, developer),
      assignee: summaryOf(trellis, developer),
      source_project_id: project.id,
      target_project_id: project.id,
      labels: ['new', 'urgent'],
      work_in_progress: true,
      milestone: made.milestone,
      merge_when_build_succeeds: false,
      merge_status: 'unchecked',
      sha: cast.topic,
      merge_commit_sha: null,
      subscribed: true,
      user_notes_count: 0,
      should_remove_source_branch: false,
      force_remove_source_branch: true,
      web_url: `${trellis.url}/${project.fullPath}/merge_requests/${String(made.iid)}`,
    });
    expect(made.milestone).toMatchObject({ id: milestoneId, title: 'v1' });
    expect(await rowOf(trellis, made)).toMatchObject({
      source_project_id: project.id,
      head_sha: cast.topic,
      state: 'opened',
      force_remove_source_branch: true,
      deleted_at: null,
    });
    expect(await versionsOf(trellis, made)).toEqual([
      {
        base_commit_sha: cast.head,
        start_commit_sha: cast.head,
        head_commit_sha: cast.topic,
      },
    ]);
    const author_id = developer.user.id;
    expect(await eventsOn(trellis, made)).toEqual([
      { author_id, action: 'opened', project_id: project.id },
    ]);
    expect(await todosFor(trellis, made)).toEqual([
      { user_id: author_id, action: 'assigned', state: 'pending', author_id },
      { user_id: guest.user.id, action: 'mentioned', state: 'pending', author_id },
    ]);
    expect(await systemNotes(trellis, made)).toEqual([]);
  });

  it('ignores unknown assignees, foreign milestones and empty labels', async () => {
    const [hidden] = await trellis.factories.crowd(1);
    const foreign = await makeMilestone(trellis, cast.projects[0], 'elsewhere');
    const given = { assignee_id: 2_147_483_647, milestone_id: foreign, labels: ' , ' };
    expect(await opened(owner, given)).toMatchObject({
      ...{ assignee: null, milestone: null, labels: [] },
    });
    const cleared = {
      assignee_id: 0,
      milestone_id: null,
      description: null,
      target_project_id: '',
    };
    expect(await opened(owner, cleared)).toMatchObject({ assignee: null, description: null });
    expect(await opened(owner, { assignee_id: hidden })).toMatchObject({
      assignee: { id: hidden },
    });
  });

  it('trims the title', async () => {
    const title = '\u{1F33F}'.repeat(255);
    expect(await opened(owner, { title: `  ${title}   ` })).toMatchObject({ title });
  });

  it('adds notes to the issues and commits that the text mentions', async () => {
    const { body } = await trellis
      .as(owner)
      .post(`/projects/${String(project.id)}/issues`, { title: 'A bug' })
      .expect(200);
    const issue = body as { id: number; iid: number };
    const made = await opened(owner, { description: `See #${String(issue.iid)}` });
    const another = await opened(owner, { description: `After !${String(made.iid)}` });
    const notes = await trellis.rows<{ body: string }>(
      `SELECT body FROM notes WHERE noteable_type = 'Issue' AND noteable_id = $1`,
      [issue.id],
    );
    expect(notes).toEqual([{ body: `mentioned in merge request !${String(made.iid)}` }]);
    expect(await systemNotes(trellis, made)).toEqual([
      `mentioned in merge request !${String(another.iid)}`,
    ]);
  });
});
