import { type Cast, makeCast, type Role } from '../../support/cast.js';
import type { MadeProject, Person } from '../../support/factories.js';
import {
  expectRightCounts,
  issueEvents,
  issuesOf,
  makeMilestone,
  openCount,
  openIssue,
  pathOf,
  systemNotes,
  TIMESTAMP,
  todosFor,
} from '../../support/issues.js';
import { addMergeRequests } from '../../support/merge-request-rows.js';
import { summaryOf } from '../../support/summaries.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

describe('creating issues', () => {
  let trellis: Trellis;
  let cast: Cast;
  let project: MadeProject;
  let owner: Person;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    cast = await makeCast(trellis);
    project = cast.projects[20];
    owner = cast.people.owner as Person;
  });

  const person = (role: Role) => cast.people[role] as Person;
  const refused = async (body: object, status: number) => {
    const answer = await trellis.as(owner).post(issuesOf(project), body).expect(status);
    return answer.body as unknown;
  };
  const opened = (by: Person, body: object) => openIssue(trellis, by, project, body);

  it('requires a credential, well-formed parameters and a project', async () => {
    await trellis.anonymous.post(issuesOf(project), { title: 'x' }).expect(401);
    const nowhere = { id: 2_147_483_647 };
    for (const [body, error] of [
      [{}, 'title is missing'],
      [{ title: null }, 'title is missing'],
      [{ title: ['x'] }, 'title is invalid'],
      [{ title: 'x\0' }, 'title is invalid'],
      [{ title: 'x', confidential: 'perhaps' }, 'confidential is invalid'],
      [{ title: 'x', assignee_id: 'mia' }, 'assignee_id is invalid'],
      [{ title: 'x', milestone_id: 1.5 }, 'milestone_id is invalid'],
      [{ title: 'x', labels: { a: 1 } }, 'labels is invalid'],
      [{ title: 'x', created_at: 'yesterday' }, 'created_at is invalid'],
      [{ title: 'x', due_date: '2017-02-29' }, 'due_date is invalid'],
      [{ title: 'x', due_date: '2017-13-01' }, 'due_date is invalid'],
      [
        { title: 'x', merge_request_for_resolving_discussions: 'one' },
        'merge_request_for_resolving_discussions is invalid',
      ],
    ] as const) {
      const answer = await trellis.as(owner).post(issuesOf(nowhere), body).expect(400);
      expect(answer.body).toEqual({ error });
    }
    const absent = await trellis.as(owner).post(issuesOf(nowhere), { title: 'x' }).expect(404);
    expect(absent.body).toEqual({ message: '404 Project Not Found' });
    for (const title of ['', ' \n\t ']) {
      expect(await refused({ title }, 400)).toEqual({ message: { title: ["can't be blank"] } });
    }
    expect(
      await refused({ title: 'ü'.repeat(256), description: 'x'.repeat(1024 * 1024 + 1) }, 400),
    ).toEqual({
      message: {
        title: ['is too long (maximum is 255 characters)'],
        description: ['is too long (maximum is 1048576 characters)'],
      },
    });
    const labels = Array.from({ length: 501 }, (_, index) => `label ${String(index)}`);
    expect(await refused({ title: 'x', labels }, 400)).toEqual({
      message: { labels: ['are too many (maximum is 500)'] },
    });
    for (const table of ['issues', 'labels', 'internal_ids']) {
      const sql = `SELECT 1 FROM ${table} WHERE project_id = $1`;
      expect(await trellis.rows(sql, [project.id])).toEqual([]);
    }
  });

  it('requires only a title', async () => {
    const body = await opened(owner, { title: ' First ' });
    expect(body).toEqual({
      id: expect.any(Number) as number,
      iid: 1,
      project_id: project.id,
      title: 'First',
      description: null,
      state: 'opened',
      created_at: TIMESTAMP,
      updated_at: body.created_at,
      labels: [],
      milestone: null,
      assignee: null,
      author: summaryOf(trellis, owner),
      subscribed: true,
      user_notes_count: 0,
      upvotes: 0,
      downvotes: 0,
      due_date: null,
      web_url: `${trellis.url}/${project.fullPath}/issues/1`,
      confidential: false,
    });
    const read = await trellis.as(owner).get(pathOf(body)).expect(200);
    expect(read.body).toEqual(body);
    expect(await issueEvents(trellis, project)).toEqual([
      { author_id: owner.user.id, action: 'opened', target_id: body.id },
    ]);
    expect(await openCount(trellis, owner, project)).toBe(1);
    expect(await systemNotes(trellis, body)).toEqual([]);
  });

  it('accepts all fields', async () => {
    const milestoneId = await makeMilestone(trellis, project, 'v1.0');
    const guest = person('guest');
    const body = await opened(owner, {
      title: '日本語 <b>"&\u202e',
      description: ' kept \n as it is ',
      confidential: true,
      assignee_id: guest.user.id,
      milestone_id: milestoneId,
      labels: ' zeta, alpha ,,zeta, two words',
      created_at: '2016-02-29T12:00:00+02:00',
      due_date: '2017-01-31T10:00:00Z',
      merge_request_for_resolving_discussions: 99_999_999_999,
    });
    expect(body).toMatchObject({
      iid: 2,
      title: '日本語 <b>"&\u202e',
      description: ' kept \n as it is ',
      confidential: true,
      assignee: summaryOf(trellis, guest),
      milestone: { id: milestoneId, title: 'v1.0', project_id: project.id, state: 'active' },
      labels: ['alpha', 'two words', 'zeta'],
      created_at: '2016-02-29T10:00:00.000Z',
      updated_at: '2016-02-29T10:00:00.000Z',
      due_date: '2017-01-31',
    });
    expect((await trellis.as(owner).get(pathOf(body)).expect(200)).body).toEqual(body);
    expect(await todosFor(trellis, body)).toEqual([
      {
        ...{ user_id: guest.user.id, action: 'assigned', state: 'pending' },
        author_id: owner.user.id,
      },
    ]);
    const colours = await trellis.rows('SELECT DISTINCT color FROM labels WHERE project_id = $1', [
      project.id,
    ]);
    expect(colours).toEqual([{ color: '#428BCA' }]);
  });

  it('reuses existing labels', async () => {
    await opened(owner, { labels: 'once' });
    const again = await opened(person('reporter'), { labels: ['once', 'Once'] });
    expect(again.labels.toSorted()).toEqual(['Once', 'once']);
    const rows = await trellis.rows(
      `SELECT 1 FROM labels WHERE project_id = $1 AND name = 'once'`,
      [project.id],
    );
    expect(rows).toHaveLength(1);
  });

  it.each([
    ['a number nobody has', () => 2_147_483_647],
    ['a number beyond all', () => 99_999_999_999],
    ['zero', () => 0],
    ['nobody', () => null],
    ['who is blocked', () => person('blocked').user.id],
  ])('leaves the issue without an assignee for %s', async (_, id) => {
    expect(await opened(owner, { assignee_id: id() })).toMatchObject({ assignee: null });
  });

  it('accepts only assignees who can read the project', async () => {
    for (const visibility of [0, 10, 20] as const) {
      const place = cast.projects[visibility];
      for (const role of ['stranger', 'external', 'guest', 'formerMember', 'admin'] as const) {
        const { id } = person(role).user;
        const body = await openIssue(trellis, owner, place, { assignee_id: id });
        const reads =
          ['guest', 'admin'].includes(role) ||
          visibility === 20 ||
          (visibility === 10 && role !== 'external');
        expect([visibility, role, body.assignee?.id]).toEqual([
          ...[visibility, role, reads ? id : undefined],
        ]);
      }
    }
  });

  it('ignores a milestone of another project', async () => {
    const elsewhere = await makeMilestone(trellis, cast.projects[0], 'elsewhere');
    for (const milestone_id of [elsewhere, 2_147_483_647, 0, null]) {
      expect(await opened(owner, { milestone_id })).toMatchObject({ milestone: null });
    }
  });

  it('is allowed to every reader of the project, with the fields of the level', async () => {
    const milestone_id = await makeMilestone(trellis, project, 'for all');
    const mayTriage = new Set<Role>([
      ...(['reporter', 'developer', 'master', 'owner', 'admin'] as const),
      ...(['externalMember', 'groupMember'] as const),
    ]);
    const maySetTimes = new Set<Role>(['owner', 'admin']);
    for (const [name, author] of Object.entries(cast.people)) {
      const role = name as Role;
      if (author === null || role === 'blocked') continue;
      const said = {
        ...{ assignee_id: owner.user.id, milestone_id, due_date: '2017-01-31' },
        ...{ labels: `by ${role}`, created_at: '2016-01-01', confidential: true },
      };
      const body = await opened(author, { description: role, ...said });
      expect(body).toMatchObject({
        ...{ description: role, confidential: true, author: { id: author.user.id } },
        ...(mayTriage.has(role)
          ? {
              ...{ assignee: { id: owner.user.id }, milestone: { id: milestone_id } },
              ...{ due_date: '2017-01-31', labels: [`by ${role}`] },
            }
          : { assignee: null, milestone: null, due_date: null, labels: [] }),
      });
      const isBackdated = body.created_at === '2016-01-01T00:00:00.000Z';
      expect([role, isBackdated]).toEqual([role, maySetTimes.has(role)]);
    }
    await expectRightCounts(trellis, project);
  });

  it('requires enabled issues', async () => {
    const closed = await trellis.factories.project(owner, { visibilityLevel: 20 });
    const address = `/projects/${String(closed.id)}`;
    await trellis.as(owner).put(address, { issues_enabled: false }).expect(200);
    for (const role of ['stranger', 'owner', 'admin'] as const) {
      const client = trellis.as(person(role));
      const answer = await client.post(issuesOf(closed), { title: 'x' }).expect(403);
      expect(answer.body).toEqual({ message: '403 Forbidden' });
    }
  });

  it('works in archived projects', async () => {
    const archived = await trellis.factories.project(owner);
    await trellis
      .as(owner)
      .post(`/projects/${String(archived.id)}/archive`)
      .expect(200);
    await openIssue(trellis, owner, archived);
  });

  it('never assigns a number twice', async () => {
    const place = await trellis.factories.project(owner);
    const first = await openIssue(trellis, owner, place);
    const second = await openIssue(trellis, owner, place);
    await trellis.as(owner).delete(pathOf(second)).expect(200);
    const third = await openIssue(trellis, owner, place);
    expect([first.iid, second.iid, third.iid]).toEqual([1, 2, 3]);
  });

  it('takes few statements', async () => {
    const make = () => opened(owner, { title: 'Counted' });
    await make();
    // The caller with the access; begin and the ID; the issue with number and count, its event, and commit.
    expect(await trellis.statements.costOf(make)).toEqual({ statements: 6, roundTrips: 3 });
    const label = () => opened(owner, { title: 'Counted', labels: 'one,two' });
    await label();
    // The labels come with the ID.
    expect(await trellis.statements.costOf(label)).toEqual({ statements: 7, roundTrips: 3 });
  });

  it('describes the discussions of a readable merge request unless a description is given', async () => {
    await addMergeRequests(trellis, project, [{ authorId: owner.user.id }]);
    const follow = { merge_request_for_resolving_discussions: 1 };
    const made = await opened(owner, follow);
    expect(made.description).toBe('There are no unresolved discussions on !1.');
    const told = await opened(owner, { ...follow, description: 'See there' });
    expect(told.description).toBe('See there');
    const hidden = cast.projects[0];
    await addMergeRequests(trellis, hidden, [{ authorId: owner.user.id }]);
    const unread = await openIssue(trellis, person('guest'), hidden, {
      merge_request_for_resolving_discussions: 1,
    });
    expect(unread.description).toBeNull();
  });
});
