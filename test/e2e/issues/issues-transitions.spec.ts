import { type Cast, makeCast, type Role } from '../../support/cast.js';
import type { MadeProject, Person } from '../../support/factories.js';
import {
  expectRightCounts,
  type IssueBody,
  issueEvents,
  issuesOf,
  makeMilestone,
  openIssue,
  pathOf,
  systemNotes,
  todosFor,
} from '../../support/issues.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

describe('changing issues', () => {
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
  const made = (body: object = {}) => openIssue(trellis, owner, project, body);
  const put = async (issue: IssueBody, body: object) =>
    (await trellis.as(owner).put(pathOf(issue), body).expect(200)).body as IssueBody;

  it('closes and reopens them, each once', async () => {
    const place = await trellis.factories.project(owner);
    const issue = await openIssue(trellis, owner, place);
    for (const [event, state] of [
      ['reopen', 'opened'],
      ['close', 'closed'],
      ['close', 'closed'],
      ['reopen', 'opened'],
      ['close', 'closed'],
    ] as const) {
      expect(await put(issue, { state_event: event })).toMatchObject({ state });
      await expectRightCounts(trellis, place);
    }
    expect(await systemNotes(trellis, issue)).toEqual(['closed', 'reopened', 'closed']);
    const events = await issueEvents(trellis, place);
    expect(events.map(({ action }) => action)).toEqual(['opened', 'closed', 'opened', 'closed']);
  });

  it('finishes the todo of the caller', async () => {
    const marked = async (body: object) => {
      const issue = await made();
      await trellis
        .as(owner)
        .post(`${pathOf(issue)}/todo`)
        .expect(200);
      await put(issue, body);
      const [todo] = await todosFor(trellis, issue);
      return todo?.state;
    };
    const milestone = await makeMilestone(trellis, project, 'finishing');
    for (const [body, state] of [
      [{ title: 'New' }, 'done'],
      [{ description: 'New' }, 'done'],
      [{ labels: 'finishing' }, 'done'],
      [{ milestone_id: milestone }, 'done'],
      [{ assignee_id: person('guest').user.id }, 'done'],
      [{ state_event: 'close' }, 'done'],
      [{ due_date: '2017-01-31' }, 'pending'],
      [{ confidential: true }, 'pending'],
      [{ title: 'An issue' }, 'pending'],
      [{ state_event: 'reopen' }, 'pending'],
    ] as const) {
      expect([body, await marked(body)]).toEqual([body, state]);
    }
  });

  it('adds a todo for a new assignee, also for the caller', async () => {
    const issue = await made();
    const guest = person('guest');
    await put(issue, { assignee_id: guest.user.id });
    await put(issue, { assignee_id: guest.user.id, title: 'Same assignee' });
    await put(issue, { assignee_id: owner.user.id });
    const todos = await todosFor(trellis, issue);
    expect(todos.map(({ user_id: user, action }) => [user, action])).toEqual([
      [guest.user.id, 'assigned'],
      [owner.user.id, 'assigned'],
    ]);
  });

  it('requires enabled issues', async () => {
    const place = await trellis.factories.project(owner);
    const issue = await openIssue(trellis, owner, place);
    const address = `/projects/${String(place.id)}`;
    await trellis.as(owner).put(address, { issues_enabled: false }).expect(200);
    for (const role of ['owner', 'admin'] as const) {
      const client = trellis.as(person(role));
      await client.get(pathOf(issue)).expect(404);
      expect((await client.get(issuesOf(place)).expect(200)).body).toEqual([]);
      await client.put(pathOf(issue), { title: 'x' }).expect(403);
      await client.delete(pathOf(issue)).expect(403);
      await client.post(`${pathOf(issue)}/subscription`).expect(403);
      await client.post(`${pathOf(issue)}/todo`).expect(403);
      await client.post(`${pathOf(issue)}/move`, { to_project_id: project.id }).expect(403);
    }
    await trellis.as(owner).put(address, { issues_enabled: true }).expect(200);
    expect((await trellis.as(owner).get(pathOf(issue)).expect(200)).body).toEqual(issue);
  });

  it('loads no issue where issues are disabled', async () => {
    const place = await trellis.factories.project(owner);
    const issue = await openIssue(trellis, owner, place);
    const address = `/projects/${String(place.id)}`;
    await trellis.as(owner).put(address, { issues_enabled: false }).expect(200);
    const absent = {
      [pathOf(issue)]: '404 Not found',
      [`${pathOf(issue)}/notes`]: '404 Notes Not Found',
      [`${pathOf(issue)}/notes/1`]: '404 Note Not Found',
      [`${pathOf(issue)}/award_emoji`]: '404 Award Emoji Not Found',
    };
    const ran = await trellis.statements.during(async () => {
      for (const [path, message] of Object.entries(absent)) {
        await trellis.as(owner).get(path).expect(404, { message });
      }
    });
    expect(ran.filter((sql) => /\bFROM issues\b/.test(sql))).toEqual([]);
    await trellis.as(owner).put(address, { issues_enabled: true }).expect(200);
    const found = await trellis.statements.during(async () => {
      for (const path of [pathOf(issue), `${pathOf(issue)}/notes`]) {
        await trellis.as(owner).get(path).expect(200);
      }
    });
    expect(found.filter((sql) => /\bFROM issues\b/.test(sql))).toHaveLength(2);
  });
});
