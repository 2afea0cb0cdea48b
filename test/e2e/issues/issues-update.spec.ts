import { type Cast, makeCast, type Role } from '../../support/cast.js';
import type { MadeProject, Person } from '../../support/factories.js';
import {
  expectRightCounts,
  type IssueBody,
  issuesOf,
  makeMilestone,
  openIssue,
  pathOf,
  systemNotes,
} from '../../support/issues.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

const LONG_AGO = '2016-01-01T00:00:00.000Z';

describe('updating issues', () => {
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
  const made = (body: object = {}, by = owner) => openIssue(trellis, by, project, body);
  const put = async (issue: IssueBody, body: object, by = owner) =>
    (await trellis.as(by).put(pathOf(issue), body).expect(200)).body as IssueBody;
  /** As if nobody had touched it for long. */
  const aged = async (body: object = {}) => {
    const issue = await made(body);
    await trellis.rows('UPDATE issues SET updated_at = $2 WHERE id = $1', [issue.id, LONG_AGO]);
    return issue;
  };

  it('requires a credential, well-formed parameters, an issue and the right', async () => {
    const issue = await made();
    await trellis.anonymous.put(pathOf(issue), { title: 'x' }).expect(401);
    const names =
      'title, description, confidential, assignee_id, milestone_id, labels, state_event, due_date';
    const nothing = `${names} are missing, at least one parameter must be provided`;
    for (const [body, error] of [
      [{}, nothing],
      [{ unknown: 1 }, nothing],
      [{ updated_at: LONG_AGO }, nothing],
      [{ title: null }, nothing],
      [{ title: { a: 1 } }, 'title is invalid'],
      [{ state_event: 'closed' }, 'state_event does not have a valid value'],
      [{ due_date: '2017-04-31' }, 'due_date is invalid'],
      [{ title: 'x', updated_at: 'now' }, 'updated_at is invalid'],
      [{ confidential: 2 }, 'confidential is invalid'],
    ] as const) {
      const answer = await trellis
        .as(owner)
        .put(`${issuesOf({ id: 0 })}/1`, body)
        .expect(400);
      expect(answer.body).toEqual({ error });
    }
    for (const id of [0, 2_147_483_647, 99_999_999_999]) {
      const path = pathOf({ ...issue, id });
      const absent = await trellis.as(owner).put(path, { title: 'x' }).expect(404);
      expect(absent.body).toEqual({ message: '404 Not found' });
    }
    const elsewhere = pathOf({ ...issue, project_id: cast.projects[0].id });
    await trellis.as(owner).put(elsewhere, { title: 'x' }).expect(404);
    for (const title of ['', ' \n ']) {
      const blank = await trellis.as(owner).put(pathOf(issue), { title }).expect(400);
      expect(blank.body).toEqual({ message: { title: ["can't be blank"] } });
    }
    await trellis
      .as(owner)
      .put(pathOf(issue), { title: 'x'.repeat(256) })
      .expect(400);
    expect((await trellis.as(owner).get(pathOf(issue)).expect(200)).body).toEqual(issue);
  });

  it('is allowed to author, assignee and members from reporter on, within their rights', async () => {
    const mayEditAny = new Set<Role>([
      ...(['reporter', 'developer', 'master', 'owner', 'admin'] as const),
      ...(['externalMember', 'groupMember'] as const),
    ]);
    for (const visibility of [0, 10, 20] as const) {
      for (const confidential of [false, true]) {
        const place = cast.projects[visibility];
        const issue = await openIssue(trellis, owner, place, { confidential });
        for (const [name, caller] of Object.entries(cast.people)) {
          const role = name as Role;
          const client = caller === null ? trellis.anonymous : trellis.as(caller);
          const { status } = await client.put(pathOf(issue), { description: role });
          const sees = mayEditAny.has(role) || ['guest', 'groupGuest'].includes(role);
          const isShown = visibility === 20 || (visibility === 10 && role !== 'external');
          const expected =
            role === 'anonymous' || role === 'blocked'
              ? 401
              : mayEditAny.has(role)
                ? 200
                : sees || isShown
                  ? 403
                  : 404;
          expect([visibility, confidential, role, status]).toEqual([
            ...[visibility, confidential, role, expected],
          ]);
        }
      }
    }
  });

  it('below reporter is limited to text, confidentiality and state', async () => {
    const stranger = person('stranger');
    const issue = await made({ confidential: true }, stranger);
    const milestoneId = await makeMilestone(trellis, project, 'not theirs');
    const changes = {
      ...{ title: 'Mine', description: 'Own', confidential: false, state_event: 'close' },
      ...{ assignee_id: stranger.user.id, milestone_id: milestoneId, labels: 'not-theirs' },
      ...{ due_date: '2017-01-31', updated_at: LONG_AGO },
    };
    const changed = await put(issue, changes, stranger);
    expect(changed).toMatchObject({
      ...{ title: 'Mine', description: 'Own', confidential: false, state: 'closed' },
      ...{ assignee: null, milestone: null, labels: [], due_date: null },
    });
    expect(changed.updated_at).not.toBe(LONG_AGO);
    expect(
      await trellis.rows(`SELECT 1 FROM labels WHERE project_id = $1 AND name = 'not-theirs'`, [
        project.id,
      ]),
    ).toEqual([]);
    const assigned = await made({ assignee_id: stranger.user.id, confidential: true });
    expect(await put(assigned, { title: 'Given to me' }, stranger)).toMatchObject({
      title: 'Given to me',
    });
    await put(assigned, { assignee_id: 0 });
    await trellis.as(stranger).get(pathOf(assigned)).expect(404);
    await trellis.as(stranger).put(pathOf(assigned), { title: 'Not any more' }).expect(403);
  });

  it('accepts every field, and adds a note for most of them', async () => {
    const guest = person('guest');
    const milestoneId = await makeMilestone(trellis, project, 'v2');
    const issue = await aged({ labels: 'kept, gone' });
    const changed = await put(issue, {
      title: ' Another title ',
      description: 'Text',
      confidential: true,
      assignee_id: guest.user.id,
      milestone_id: milestoneId,
      labels: 'kept, new, newer',
      due_date: '2017-01-31',
    });
    expect(changed).toMatchObject({
      ...{ title: 'Another title', description: 'Text', confidential: true },
      ...{ assignee: { id: guest.user.id }, milestone: { id: milestoneId } },
      ...{ labels: ['kept', 'new', 'newer'], due_date: '2017-01-31', state: 'opened' },
    });
    expect(changed.updated_at > issue.created_at).toBe(true);
    expect((await trellis.as(owner).get(pathOf(issue)).expect(200)).body).toEqual(changed);
    const labels = await trellis.rows<{ id: number; name: string }>(
      'SELECT id, name FROM labels WHERE project_id = $1',
      [project.id],
    );
    const ids = new Map(labels.map(({ id, name }) => [name, String(id)]));
    const [added, more] = [ids.get('new'), ids.get('newer')].toSorted();
    const [{ iid }] = (await trellis.rows<{ iid: number }>(
      'SELECT iid FROM milestones WHERE id = $1',
      [milestoneId],
    )) as [{ iid: number }];
    expect(await systemNotes(trellis, issue)).toEqual([
      'changed title from **An issue** to **Another title**',
      `assigned to @${guest.user.username}`,
      `changed milestone to %${String(iid)}`,
      `added ~${String(added)} ~${String(more)} labels and removed ~${String(ids.get('gone'))} label`,
      'made the issue confidential',
    ]);
    expect(
      await trellis.rows('SELECT updated_by_id FROM issues WHERE id = $1', [issue.id]),
    ).toEqual([{ updated_by_id: owner.user.id }]);
    await expectRightCounts(trellis, project);
  });

  it('clears fields by empty values', async () => {
    for (const nothing of [null, 0]) {
      const issue = await made({
        ...{
          description: 'Text',
          assignee_id: owner.user.id,
          labels: 'one',
          due_date: '2017-01-31',
        },
        milestone_id: await makeMilestone(trellis, project, `cleared by ${String(nothing)}`),
        confidential: true,
      });
      const cleared = await put(issue, {
        ...{ description: null, assignee_id: nothing, milestone_id: nothing, labels: '' },
        ...{ due_date: nothing === 0 ? '' : null, confidential: false },
      });
      expect(cleared).toMatchObject({
        ...{ description: null, assignee: null, milestone: null, labels: [], due_date: null },
        confidential: false,
      });
      const notes = await systemNotes(trellis, issue);
      expect(notes).toEqual([
        ...['removed assignee', 'removed milestone', notes[2]],
        'made the issue visible to everyone',
      ]);
      expect(notes[2]).toMatch(/^removed ~\d+ label$/);
    }
  });

  it('removes the assignee for an invalid user, and the milestone for an invalid milestone', async () => {
    const milestone = await makeMilestone(trellis, project, 'in use');
    const elsewhere = await makeMilestone(trellis, cast.projects[0], 'elsewhere');
    const place = cast.projects[0];
    const issue = await openIssue(trellis, owner, place, { assignee_id: owner.user.id });
    const stranger = person('stranger').user.id;
    expect(await put(issue, { assignee_id: stranger })).toMatchObject({ assignee: null });
    const other = await made({ milestone_id: milestone });
    expect(await put(other, { milestone_id: elsewhere })).toMatchObject({ milestone: null });
  });

  it('keeps an assignee who lost access until another one is named', async () => {
    const member = await trellis.factories.user();
    await trellis.factories.addToProject(cast.projects[0], member, 20);
    const issue = await openIssue(trellis, owner, cast.projects[0], {
      assignee_id: member.user.id,
    });
    await trellis.rows('DELETE FROM project_members WHERE user_id = $1', [member.user.id]);
    const echoed = await put(issue, { title: 'Echoed', assignee_id: member.user.id });
    expect(echoed.assignee).toMatchObject({ id: member.user.id });
  });

  it('with the current values changes nothing', async () => {
    const issue = await aged({ description: 'Text', labels: 'same', due_date: '2017-01-31' });
    const same = {
      title: 'An issue',
      description: 'Text',
      labels: ['same'],
      due_date: '2017-01-31',
    };
    const answer = await put(issue, { ...same, confidential: false, state_event: 'reopen' });
    expect(answer).toEqual({ ...issue, updated_at: LONG_AGO });
    expect(await systemNotes(trellis, issue)).toEqual([]);
  });

  it.each(['title', 'description', 'labels', 'confidential', 'due_date', 'state_event'])(
    'moves updated_at: %s',
    async (field) => {
      const values: Record<string, unknown> = {
        ...{ title: 'New', description: 'New', labels: 'moving', confidential: true },
        ...{ due_date: '2017-02-01', state_event: 'close' },
      };
      const issue = await aged();
      const { updated_at: updatedAt } = await put(issue, { [field]: values[field] });
      expect(updatedAt > issue.created_at).toBe(true);
    },
  );

  it('accepts a time from administrators and owners', async () => {
    for (const [role, counts] of [
      ['owner', true],
      ['admin', true],
      ['master', false],
    ] as const) {
      const issue = await made();
      const changes = { title: role, updated_at: '2016-05-05T05:05:05+05:00' };
      const { updated_at: updatedAt } = await put(issue, changes, person(role));
      expect([role, updatedAt === '2016-05-05T00:05:05.000Z']).toEqual([role, counts]);
    }
    const untouched = await made();
    const retimed = await put(untouched, { title: 'An issue', updated_at: LONG_AGO });
    expect(retimed.updated_at).toBe(LONG_AGO);
  });
});
