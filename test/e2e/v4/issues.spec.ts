import type { MadeGroup, MadeProject, Person } from '../../support/factories.js';
import { issuesOf, type IssueBody, makeMilestone, TIMESTAMP } from '../../support/issues.js';
import { Trellis } from '../../support/trellis.js';
import { basicUser, NO_TIME_STATS, type NumberedBody } from '../../support/v4-bodies.js';

const NOWHERE = 2_147_483_647;

describe('issues of version 4', () => {
  let trellis: Trellis;
  let owner: Person;
  let reporter: Person;
  let guest: Person;
  let stranger: Person;
  let group: MadeGroup;
  let project: MadeProject;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    const { factories } = trellis;
    owner = await factories.user();
    [reporter, guest, stranger] = [
      await factories.user(),
      await factories.user(),
      await factories.user(),
    ];
    group = await factories.group(owner);
    project = await factories.project(owner, { namespaceId: group.id, visibilityLevel: 0 });
    await factories.addToProject(project, reporter, 20);
    await factories.addToProject(project, guest, 10);
  });

  const v4 = (person: Person) => trellis.as(person).v4;
  const create = async (body: object = {}, person = owner): Promise<NumberedBody> => {
    const answer = await v4(person)
      .post(issuesOf(project), { title: 'An issue', ...body })
      .expect(201);
    return answer.body as NumberedBody;
  };
  const at = ({ iid }: { iid: number }) => `${issuesOf(project)}/${String(iid)}`;
  const listed = async (person: Person, path: string): Promise<number[]> => {
    const { body } = await v4(person).get(path).expect(200);
    return (body as NumberedBody[]).map(({ id }) => id);
  };

  it('has the fields of the entity, and the row that version 3 shows', async () => {
    const milestoneId = await makeMilestone(trellis, project, 'One');
    const { body } = await v4(owner)
      .post(issuesOf(project), {
        title: 'Whole',
        description: '- [x] done\n- [ ] open\n',
        labels: 'b,a',
        assignee_ids: [reporter.user.id],
        milestone_id: milestoneId,
        due_date: '2030-01-02',
        confidential: true,
      })
      .expect(201);
    const issue = body as NumberedBody & { web_url: string };
    const url = new URL(issue.web_url).origin;
    const path = `${group.path}/${project.path}`;
    const api = `${url}/api/v4/projects/${String(project.id)}`;
    expect(body).toEqual({
      id: expect.any(Number),
      iid: expect.any(Number),
      project_id: project.id,
      title: 'Whole',
      description: '- [x] done\n- [ ] open\n',
      state: 'opened',
      created_at: TIMESTAMP,
      updated_at: TIMESTAMP,
      closed_at: null,
      closed_by: null,
      labels: ['a', 'b'],
      milestone: {
        id: milestoneId,
        iid: 1,
        project_id: project.id,
        title: 'One',
        description: null,
        state: 'active',
        created_at: TIMESTAMP,
        updated_at: TIMESTAMP,
        due_date: null,
        start_date: null,
        expired: false,
        web_url: `${url}/${path}/-/milestones/1`,
      },
      assignees: [basicUser(reporter, url)],
      author: basicUser(owner, url),
      type: 'ISSUE',
      assignee: basicUser(reporter, url),
      user_notes_count: 0,
      merge_requests_count: 0,
      upvotes: 0,
      downvotes: 0,
      due_date: '2030-01-02',
      confidential: true,
      discussion_locked: null,
      issue_type: 'issue',
      web_url: `${url}/${path}/-/issues/${String(issue.iid)}`,
      time_stats: NO_TIME_STATS,
      task_completion_status: { count: 2, completed_count: 1 },
      _links: {
        self: `${api}/issues/${String(issue.iid)}`,
        notes: `${api}/issues/${String(issue.iid)}/notes`,
        award_emoji: `${api}/issues/${String(issue.iid)}/award_emoji`,
        project: api,
      },
      references: {
        short: `#${String(issue.iid)}`,
        relative: `#${String(issue.iid)}`,
        full: `${path}#${String(issue.iid)}`,
      },
      severity: 'UNKNOWN',
      moved_to_id: null,
      imported: false,
      imported_from: 'none',
      service_desk_reply_to: null,
      subscribed: true,
    });
    const read = await v4(owner).get(at(issue)).expect(200);
    expect(read.body).toEqual(body);
    const old = await trellis
      .as(owner)
      .get(`${issuesOf(project)}/${String(issue.id)}`)
      .expect(200);
    expect(old.body).toMatchObject({
      id: issue.id,
      labels: ['a', 'b'],
      assignee: { id: reporter.user.id },
      milestone: { id: milestoneId },
      confidential: true,
    });
  });

  it('shows who closed an issue and when, until it is reopened', async () => {
    const issue = await create();
    const closed = await v4(owner).put(at(issue), { state_event: 'close' }).expect(200);
    expect(closed.body).toMatchObject({
      state: 'closed',
      closed_at: TIMESTAMP,
      closed_by: { id: owner.user.id },
    });
    const reopened = await v4(owner).put(at(issue), { state_event: 'reopen' }).expect(200);
    expect(reopened.body).toMatchObject({ state: 'opened', closed_at: null, closed_by: null });
  });

  it('adds, removes, replaces and clears labels', async () => {
    const issue = await create({ labels: 'one,two' });
    const put = async (body: object) =>
      ((await v4(owner).put(at(issue), body).expect(200)).body as NumberedBody).labels;
    expect(await put({ add_labels: 'three', remove_labels: 'one' })).toEqual(['three', 'two']);
    expect(await put({ labels: ['four'], add_labels: ['five'] })).toEqual(['five', 'four']);
    expect(await put({ labels: null })).toEqual([]);
  });

  it('returns 400, 404 and 403 as GitLab does', async () => {
    const issue = await create({ confidential: true });
    for (const [method, path, body, status, answer] of [
      ['post', issuesOf(project), {}, 400, { error: 'title is missing' }],
      ['post', issuesOf(project), { title: ' ' }, 400, { message: { title: ["can't be blank"] } }],
      [
        ...(['put', at(issue), {}, 400] as const),
        { error: expect.stringContaining('at least one parameter must be provided') as string },
      ],
      ['put', at({ iid: NOWHERE }), { title: 'x' }, 404, { message: '404 Not found' }],
    ] as const) {
      const answered = await v4(owner)[method](path, body);
      expect([path, answered.status, answered.body]).toEqual([path, status, answer]);
    }
    const absent = await v4(owner)
      .get(at({ iid: NOWHERE }))
      .expect(404);
    expect(absent.body).toEqual({ message: '404 Not found' });
    expect((await v4(guest).get(at(issue))).status).toBe(404);
    expect((await v4(guest).put(at(issue), { title: 'x' })).status).toBe(403);
    expect((await v4(stranger).get(at(issue))).status).toBe(404);
    expect((await v4(owner).get(`${issuesOf(project)}/x`)).status).toBe(400);
  });

  it('deletes an issue with 204; for owners', async () => {
    const issue = await create();
    expect((await v4(reporter).delete(at(issue))).status).toBe(403);
    const removed = await v4(owner).delete(at(issue)).expect(204);
    expect(removed.text).toBe('');
    expect((await v4(owner).get(at(issue))).status).toBe(404);
    expect((await v4(owner).delete(at(issue))).status).toBe(404);
  });

  it('moves an issue to another project', async () => {
    const other = await trellis.factories.project(owner);
    const issue = await create();
    const moved = await v4(owner)
      .post(`${at(issue)}/move`, { to_project_id: other.id })
      .expect(201);
    const { id } = moved.body as IssueBody;
    expect(moved.body).toMatchObject({ project_id: other.id, iid: 1 });
    const old = await v4(owner).get(at(issue)).expect(200);
    expect(old.body).toMatchObject({ state: 'closed', moved_to_id: id });
  });

  it('lists the participants of an issue', async () => {
    const issue = await create({ assignee_id: reporter.user.id });
    await v4(guest)
      .post(`${at(issue)}/notes`, { body: 'A comment' })
      .expect(201);
    const { body } = await v4(owner)
      .get(`${at(issue)}/participants`)
      .expect(200);
    expect((body as { id: number }[]).map(({ id }) => id)).toEqual(
      [owner, reporter, guest].map(({ user }) => user.id),
    );
  });

  describe('lists', () => {
    let first: NumberedBody;
    let second: NumberedBody;
    let third: NumberedBody;
    let home: MadeProject;

    beforeAll(async () => {
      home = await trellis.factories.project(owner, { namespaceId: group.id, visibilityLevel: 0 });
      await trellis.factories.addToProject(home, reporter, 20);
      await trellis.factories.addToProject(home, guest, 10);
      const make = async (person: Person, body: object) =>
        (await v4(person).post(issuesOf(home), body).expect(201)).body as NumberedBody;
      const milestone_id = await makeMilestone(trellis, home, 'Two');
      first = await make(owner, { title: 'First', labels: 'x,y', milestone_id });
      second = await make(reporter, {
        title: 'Second 100%',
        description: 'a needle',
        labels: 'x',
        assignee_ids: [owner.user.id],
      });
      third = await make(reporter, { title: 'Third', confidential: true });
      for (const [issue, name] of [
        [first, 'tada'],
        [second, 'rocket'],
      ] as const) {
        const awards = `${issuesOf(home)}/${String(issue.iid)}/award_emoji`;
        await v4(owner).post(awards, { name }).expect(201);
      }
      const path = `${issuesOf(home)}/${String(third.iid)}`;
      await v4(owner).put(path, { state_event: 'close' }).expect(200);
    });

    it('returns 400 for more than 100 values of a filter, here and for merge requests', async () => {
      const numbers = Array.from({ length: 101 }, (_, at) => `iids[]=${String(at + 1)}`).join('&');
      const labels = `labels=${Array.from({ length: 101 }, (_, at) => `l${String(at)}`).join(',')}`;
      for (const path of ['/issues', '/merge_requests', issuesOf(home)]) {
        for (const [name, query] of Object.entries({ iids: numbers, labels })) {
          const { body } = await v4(owner).get(`${path}?scope=all&${query}`).expect(400);
          expect(body).toEqual({ error: `${name} has more than 100 values` });
        }
        const most = numbers.slice(0, numbers.lastIndexOf('&'));
        await v4(owner).get(`${path}?scope=all&${most}`).expect(200);
      }
    });

    it('filters', async () => {
      const [one, two, three] = [first.id, second.id, third.id];
      const username = reporter.user.username.toUpperCase();
      for (const [query, ids] of [
        ['', [three, two, one]],
        ['sort=asc', [one, two, three]],
        ['state=opened', [two, one]],
        ['state=closed', [three]],
        [`iids[]=${String(first.iid)}&iids[]=${String(third.iid)}`, [three, one]],
        ['labels=x', [two, one]],
        ['labels=x,y', [one]],
        ['labels=None', [three]],
        ['labels=Any', [two, one]],
        ['milestone=Two', [one]],
        ['milestone=None', [three, two]],
        ['milestone=Any', [one]],
        [`author_id=${String(owner.user.id)}`, [one]],
        [`author_username=${username}`, [three, two]],
        [`assignee_id=${String(owner.user.id)}`, [two]],
        ['assignee_id=None', [three, one]],
        ['assignee_id=Any', [two]],
        [`assignee_username=${owner.user.username}`, [two]],
        ['search=NEEDLE', [two]],
        ['search=needle&in=title', []],
        ['search=100%25', [two]],
        ['search=1%25', []],
        ['confidential=true', [three]],
        ['scope=created_by_me', [one]],
        ['scope=assigned-to-me', [two]],
        ['created_after=2000-01-01T00:00:00Z', [three, two, one]],
        ['updated_before=2000-01-01T00:00:00Z', []],
        ['not[labels]=y', [three, two]],
        ['not[labels]=x,y', [three]],
        ['not[labels]=absent', [three, two, one]],
        ['not[milestone]=Two', [three, two]],
        [`not[author_id]=${String(owner.user.id)}`, [three, two]],
        [`not[author_username]=${username}`, [one]],
        ['not[author_username]=nobody', [three, two, one]],
        [`not[assignee_id]=${String(owner.user.id)}`, [three, one]],
        [`not[assignee_username][]=${owner.user.username}`, [three, one]],
        ['not[assignee_username][]=nobody', [three, two, one]],
        [`not[iids][]=${String(second.iid)}`, [three, one]],
        ['labels=x&not[labels]=y&not[milestone]=Two', [two]],
        ['my_reaction_emoji=rocket', [two]],
        ['my_reaction_emoji=Any', [two, one]],
        ['my_reaction_emoji=None', [three]],
        ['not[my_reaction_emoji]=rocket', [three, one]],
      ] as const) {
        expect([query, await listed(owner, `${issuesOf(home)}?${query}`)]).toEqual([query, ids]);
      }
      expect(await listed(guest, issuesOf(home))).toEqual([two, one]);
      expect(await listed(guest, `${issuesOf(home)}?my_reaction_emoji=Any`)).toEqual([]);
      const { body } = await v4(owner)
        .get(`/projects/${String(home.id)}/issues_statistics?not[labels]=y`)
        .expect(200);
      expect(body).toEqual({ statistics: { counts: { all: 2, opened: 1, closed: 1 } } });
    });

    it('filters by due dates', async () => {
      const place = await trellis.factories.project(owner);
      const day = (days: number) =>
        new Date(Date.now() + days * 24 * 60 * 60_000).toISOString().slice(0, 10);
      const due = async (due_date?: string) => {
        const body = { title: 'Due', due_date };
        return ((await v4(owner).post(issuesOf(place), body).expect(201)).body as NumberedBody).id;
      };
      const [none, past, today, tomorrow, far] = [
        await due(),
        await due(day(-40)),
        await due(day(0)),
        await due(day(1)),
        await due(day(400)),
      ];
      for (const [value, ids] of [
        ['0', [none]],
        ['any', [past, today, tomorrow, far]],
        ['today', [today]],
        ['tomorrow', [tomorrow]],
        ['overdue', [past]],
        ['next_month_and_previous_two_weeks', [today, tomorrow]],
      ] as const) {
        const path = `${issuesOf(place)}?sort=asc&due_date=${value}`;
        expect([value, await listed(owner, path)]).toEqual([value, ids]);
      }
      for (const value of ['week', 'month']) {
        const ids = await listed(owner, `${issuesOf(place)}?due_date=${value}`);
        expect(ids).toContain(today);
        expect(ids).not.toContain(far);
      }
    });

    it('refuses malformed filters', async () => {
      for (const [query, error] of [
        ['state=open', 'state does not have a valid value'],
        ['assignee_id=x', 'assignee_id is invalid'],
        ['in=labels&search=x', 'in does not have a valid value'],
        ['due_date=soon', 'due_date does not have a valid value'],
        ['not=x', 'not is invalid'],
        ['not[assignee_id]=Any', 'not[assignee_id] is invalid'],
        [
          'not[author_id]=1&not[author_username]=a',
          'not[author_id], not[author_username] are mutually exclusive',
        ],
        [
          'assignee_id=1&assignee_username=a',
          'assignee_id, assignee_username are mutually exclusive',
        ],
        ['author_id=1&author_username=a', 'author_id, author_username are mutually exclusive'],
      ] as const) {
        const answer = await v4(owner).get(`${issuesOf(home)}?${query}`);
        expect([query, answer.status, answer.body]).toEqual([query, 400, { error }]);
      }
    });

    it('lists what the caller created unless another scope is asked for', async () => {
      expect(await listed(owner, '/issues?labels=x')).toEqual([first.id]);
      const ids = await listed(reporter, '/issues?scope=created_by_me');
      expect(ids).toEqual([third.id, second.id]);
      expect(await listed(owner, '/issues?scope=assigned_to_me&labels=x')).toEqual([second.id]);
      expect(await listed(guest, '/issues?scope=all&labels=x')).toEqual([second.id, first.id]);
      expect(await listed(stranger, '/issues?scope=all&labels=x&search=Second')).toEqual([]);
      const { body } = await v4(reporter).get('/issues').expect(200);
      expect(body).toMatchObject([
        { references: { relative: `${group.path}/${home.path}#${String(third.iid)}` } },
        {},
      ]);
    });

    it('lists the issues of a group and of a milestone', async () => {
      const ofGroup = await v4(owner)
        .get(`/groups/${String(group.id)}/issues?labels=x`)
        .expect(200);
      expect(ofGroup.body).toMatchObject([
        { id: second.id, references: { relative: `${home.path}#${String(second.iid)}` } },
        { id: first.id },
      ]);
      expect(ofGroup.headers).toMatchObject({ 'x-total': '2', 'x-page': '1' });
      const [{ id: milestoneId }] = (
        await v4(owner)
          .get(`/projects/${String(home.id)}/milestones`)
          .expect(200)
      ).body as [{ id: number }];
      const path = `/projects/${String(home.id)}/milestones/${String(milestoneId)}/issues`;
      expect(await listed(owner, path)).toEqual([first.id]);
    });
  });
});
