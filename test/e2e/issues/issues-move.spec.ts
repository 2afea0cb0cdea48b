import { type Cast, makeCast, ROLES } from '../../support/cast.js';
import type { MadeGroup, MadeProject, Person } from '../../support/factories.js';
import { addLabel } from '../../support/issue-rows.js';
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

jest.setTimeout(180_000);

const NOT_PERMITTED = 'Cannot move issue due to insufficient permissions!';
const SAME_PROJECT = 'Cannot move issue to project it originates from!';

interface NoteBody {
  id: number;
  body: string;
  author: { id: number };
  created_at: string;
  system: boolean;
}

describe('moving issues', () => {
  let trellis: Trellis;
  let cast: Cast;
  let owner: Person;
  let home: MadeGroup;
  let here: MadeProject;
  let there: MadeProject;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    cast = await makeCast(trellis);
    owner = cast.people.owner as Person;
    home = await trellis.factories.group(owner);
  });
  beforeEach(async () => {
    const namespaceId = home.id;
    here = await trellis.factories.project(owner, { visibilityLevel: 20, namespaceId });
    there = await trellis.factories.project(owner, { namespaceId });
  });

  const made = (body: object = {}) => openIssue(trellis, owner, here, body);
  const send = (by: Person, issue: Pick<IssueBody, 'id' | 'project_id'>, target: unknown) =>
    trellis.as(by).post(`${pathOf(issue)}/move`, { to_project_id: target });
  const moved = async (issue: IssueBody, to: { id: number } = there) =>
    (await send(owner, issue, to.id).expect(200)).body as IssueBody;
  const read = async (issue: Pick<IssueBody, 'id' | 'project_id'>) =>
    (await trellis.as(owner).get(pathOf(issue)).expect(200)).body as IssueBody;
  const notesOf = async (issue: IssueBody) =>
    (
      await trellis
        .as(owner)
        .get(`${pathOf(issue)}/notes`)
        .expect(200)
    ).body as NoteBody[];
  const note = async (issue: IssueBody, body: string, by = owner) =>
    (
      await trellis
        .as(by)
        .post(`${pathOf(issue)}/notes`, { body })
        .expect(200)
    ).body as NoteBody;

  it('checks credential, target and conditions in this order', async () => {
    const issue = await made();
    const path = `${pathOf(issue)}/move`;
    await trellis.anonymous.post(path, { to_project_id: there.id }).expect(401);
    for (const [target, error] of [
      [undefined, 'to_project_id is missing'],
      ['', 'to_project_id is missing'],
      ['x', 'to_project_id is invalid'],
    ] as const) {
      expect((await send(owner, issue, target).expect(400)).body).toEqual({ error });
    }
    const absent = { ...issue, id: 2_147_483_647 };
    const nowhere = await send(owner, absent, 2_147_483_647).expect(404);
    expect(nowhere.body).toEqual({ message: '404 Issue Not Found' });
    const elsewhere = { ...issue, project_id: there.id };
    await send(owner, elsewhere, here.id).expect(404);
    for (const target of [2_147_483_647, 99_999_999_999, 0]) {
      const answer = await send(owner, issue, target).expect(404);
      expect(answer.body).toEqual({ message: '404 Project Not Found' });
    }
    const same = await send(owner, issue, here.id).expect(400);
    expect(same.body).toEqual({ message: SAME_PROJECT });
    const notEvenHere = await send(cast.people.stranger as Person, issue, here.id).expect(400);
    expect(notEvenHere.body).toEqual({ message: NOT_PERMITTED });
    expect(await read(issue)).toEqual(issue);
    expect(await systemNotes(trellis, issue)).toEqual([]);
  });

  it('requires reporter in both projects', async () => {
    const mayMove = new Set<string>([
      ...['reporter', 'developer', 'master', 'owner', 'admin', 'externalMember', 'groupMember'],
    ]);
    const [open, closed] = [cast.projects[20], cast.projects[0]];
    for (const role of ROLES) {
      const caller = cast.people[role];
      if (caller === null || role === 'blocked') continue;
      const issue = await openIssue(trellis, owner, open, { confidential: true });
      const answer = await send(caller, issue, closed.id);
      expect([role, answer.status]).toEqual([role, mayMove.has(role) ? 200 : 400]);
      if (answer.status === 400) expect(answer.body).toEqual({ message: NOT_PERMITTED });
    }
    const reporter = cast.people.reporter as Person;
    const issue = await openIssue(trellis, owner, open);
    const unseen = await send(reporter, issue, there.id).expect(400);
    expect(unseen.body).toEqual({ message: NOT_PERMITTED });
    const theirs = await trellis.factories.project(reporter);
    await send(reporter, issue, theirs.id).expect(200);
    await trellis.as(owner).put(`/projects/${String(there.id)}`, { issues_enabled: false });
    await send(owner, await made(), there.id).expect(400);
  });

  it('keeps all fields, and maps labels and milestones by name', async () => {
    for (const name of ['both', 'here only']) await addLabel(trellis, here, name);
    for (const name of ['both', 'there only']) await addLabel(trellis, there, name);
    const milestone_id = await makeMilestone(trellis, here, 'v1');
    const thereToo = await makeMilestone(trellis, there, 'v1');
    const member = await trellis.factories.user();
    await trellis.factories.addToProject(there, member, 10);
    await openIssue(trellis, owner, there);
    const issue = await made({
      ...{ title: 'To be moved', description: 'Text', confidential: true, due_date: '2017-01-31' },
      ...{ labels: 'both,here only', milestone_id, assignee_id: member.user.id },
      created_at: '2016-01-01T00:00:00Z',
    });
    const copy = await moved(issue);
    expect(copy).toEqual({
      ...issue,
      ...{ id: copy.id, iid: 2, project_id: there.id, updated_at: copy.updated_at },
      ...{ labels: ['both'], milestone: copy.milestone },
      web_url: `${trellis.url}/${there.fullPath}/issues/2`,
    });
    expect(copy.milestone).toMatchObject({ id: thereToo, title: 'v1' });
    expect(copy.updated_at > issue.updated_at).toBe(true);
    expect(await read(copy)).toEqual(copy);
    const rows = await trellis.rows('SELECT name FROM labels WHERE project_id = $1 ORDER BY name', [
      there.id,
    ]);
    expect(rows).toEqual([{ name: 'both' }, { name: 'there only' }]);
    for (const project of [here, there]) await expectRightCounts(trellis, project);
  });

  it('drops an assignee without access to the target, and labels and milestones without namesake', async () => {
    const stranger = cast.people.stranger as Person;
    const milestone_id = await makeMilestone(trellis, here, 'here alone');
    const issue = await made({ assignee_id: stranger.user.id, milestone_id, labels: 'alone' });
    expect(await moved(issue)).toMatchObject({ assignee: null, milestone: null, labels: [] });
  });

  it('closes the old issue with a note that names the new one', async () => {
    const issue = await made();
    await trellis
      .as(owner)
      .post(`${pathOf(issue)}/todo`)
      .expect(200);
    const copy = await moved(issue);
    const old = await read(issue);
    expect(old).toEqual({ ...issue, state: 'closed', updated_at: old.updated_at });
    expect(old.updated_at > issue.updated_at).toBe(true);
    expect(copy.state).toBe('opened');
    expect(await systemNotes(trellis, issue)).toEqual([`moved to ${there.path}#1`]);
    expect(await systemNotes(trellis, copy)).toEqual([`moved from ${here.path}#1`]);
    expect((await issueEvents(trellis, here)).map(({ action }) => action)).toEqual([
      ...['opened', 'closed'],
    ]);
    expect(await issueEvents(trellis, there)).toEqual([
      { author_id: owner.user.id, action: 'opened', target_id: copy.id },
    ]);
    expect((await todosFor(trellis, issue)).map(({ state }) => state)).toEqual(['done']);
    expect(await todosFor(trellis, copy)).toEqual([]);
    const again = await send(owner, issue, there.id).expect(400);
    expect(again.body).toEqual({ message: NOT_PERMITTED });
    const reopened = await trellis
      .as(owner)
      .put(pathOf(issue), { state_event: 'reopen' })
      .expect(200);
    expect(reopened.body).toMatchObject({ state: 'opened' });
    await send(owner, issue, there.id).expect(400);
    await moved(copy, here);
    for (const project of [here, there]) await expectRightCounts(trellis, project);
  });

  it('keeps closed issues closed', async () => {
    const issue = await made();
    await trellis.as(owner).put(pathOf(issue), { state_event: 'close' }).expect(200);
    expect(await moved(issue)).toMatchObject({ state: 'closed' });
    expect((await issueEvents(trellis, here)).map(({ action }) => action)).toEqual([
      ...['opened', 'closed'],
    ]);
    for (const project of [here, there]) await expectRightCounts(trellis, project);
  });

  it('between namespaces writes full references', async () => {
    const group = await trellis.factories.group(owner);
    const far = await trellis.factories.project(owner, { namespaceId: group.id });
    const issue = await made();
    const copy = await moved(issue, far);
    expect(await systemNotes(trellis, issue)).toEqual([`moved to ${far.fullPath}#1`]);
    expect(await systemNotes(trellis, copy)).toEqual([`moved from ${here.fullPath}#1`]);
  });

  it('copies all notes and awards in order, with authors and times', async () => {
    const guest = cast.people.guest as Person;
    const issue = await made();
    await note(issue, 'First', guest);
    await trellis.as(owner).put(pathOf(issue), { title: 'Renamed' }).expect(200);
    const last = await note(issue, 'Last');
    await trellis
      .as(guest)
      .post(`${pathOf(issue)}/award_emoji`, { name: 'thumbsup' })
      .expect(200);
    await trellis
      .as(guest)
      .post(`${pathOf(issue)}/notes/${String(last.id)}/award_emoji`, { name: 'tada' })
      .expect(200);
    const before = await notesOf(issue);
    const copy = await moved(issue);
    expect(copy).toMatchObject({ upvotes: 1, user_notes_count: 2 });
    const after = await notesOf(copy);
    const told = ({ body, author, created_at, system }: NoteBody) => [
      ...[body, author.id, created_at, system],
    ];
    expect(after.slice(0, 3).map(told)).toEqual(before.map(told));
    expect(after.map(({ body }) => body).at(-1)).toBe(`moved from ${here.path}#1`);
    const awards = await trellis
      .as(owner)
      .get(`${pathOf(copy)}/notes/${String(after[2]!.id)}/award_emoji`)
      .expect(200);
    expect(awards.body).toMatchObject([{ name: 'tada', user: { id: guest.user.id } }]);
    expect((await notesOf(issue)).slice(0, 3)).toEqual(before);
  });

  it('copies participants, but no explicit subscriptions', async () => {
    const mentioned = await trellis.factories.user();
    await trellis.factories.addToProject(there, mentioned, 20);
    const issue = await made({ description: `Ask @${mentioned.user.username}` });
    await trellis
      .as(owner)
      .delete(`${pathOf(issue)}/subscription`)
      .expect(200);
    const copy = await moved(issue);
    expect(copy.subscribed).toBe(true);
    const { body } = await trellis.as(mentioned).get(pathOf(copy)).expect(200);
    expect(body).toMatchObject({ subscribed: true });
    expect(await todosFor(trellis, copy)).toEqual([]);
  });

  it('accepts a form, as clients send it', async () => {
    const issue = await made();
    const answer = await trellis
      .as(owner)
      .call('post', `${issuesOf(here)}//${String(issue.id)}/move`)
      .type('form')
      .send({ to_project_id: String(there.id) });
    expect(answer.body).toMatchObject({ project_id: there.id });
  });
});
