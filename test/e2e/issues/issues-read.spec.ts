import { type Cast, makeCast, type Role } from '../../support/cast.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { type IssueBody, issuesOf, openCount, openIssue, pathOf } from '../../support/issues.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

describe('reading issues', () => {
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

  it('is allowed to readers of the project, for confidential issues to few', async () => {
    for (const visibility of [0, 10, 20] as const) {
      const place = cast.projects[visibility];
      const issue = await openIssue(trellis, owner, place);
      const secret = await openIssue(trellis, owner, place, { confidential: true });
      for (const [name, reader] of Object.entries(cast.people)) {
        const client = reader === null ? trellis.anonymous : trellis.as(reader);
        const answers = [await client.get(pathOf(issue)), await client.get(pathOf(secret))];
        expect([visibility, name, ...answers.map(({ status }) => status)]).toEqual([
          ...[visibility, name, ...readingStatuses(name as Role, visibility)],
        ]);
        const { status, body } = answers[1]!;
        if (status === 404) {
          const text = answers[0]!.status === 200 ? '404 Not found' : '404 Project Not Found';
          expect(body).toEqual({ message: text });
        }
      }
    }
  });

  it('requires the project of the issue', async () => {
    const issue = await openIssue(trellis, owner, project);
    const other: Pick<IssueBody, 'id' | 'project_id'> = {
      ...issue,
      project_id: cast.projects[0].id,
    };
    expect((await trellis.as(owner).get(pathOf(other)).expect(404)).body).toEqual({
      message: '404 Not found',
    });
    const invalid = await trellis
      .as(owner)
      .get(`${issuesOf(project)}/first`)
      .expect(400);
    expect(invalid.body).toEqual({ error: 'issue_id is invalid' });
    for (const id of ['0', '2147483647', '99999999999']) {
      await trellis
        .as(owner)
        .get(`${issuesOf(project)}/${id}`)
        .expect(404);
    }
  });

  it('is allowed to the author and the current assignee of confidential issues', async () => {
    const [author, assignee] = [cast.people.stranger as Person, cast.people.guest as Person];
    const body = { title: 'Secret', confidential: true };
    const issue = await openIssue(trellis, author, project, body);
    const statuses = async () =>
      Promise.all(
        [author, assignee].map(async (one) => (await trellis.as(one).get(pathOf(issue))).status),
      );
    expect(await statuses()).toEqual([200, 404]);
    await trellis.as(owner).put(pathOf(issue), { assignee_id: assignee.user.id }).expect(200);
    expect(await statuses()).toEqual([200, 200]);
    await trellis.as(owner).put(pathOf(issue), { assignee_id: 0 }).expect(200);
    expect(await statuses()).toEqual([200, 404]);
  });

  it('counts only issues that the reader may read', async () => {
    const place = await trellis.factories.project(owner, { visibilityLevel: 20 });
    const [stranger, guest] = [cast.people.stranger as Person, cast.people.guest as Person];
    await openIssue(trellis, owner, place);
    await openIssue(trellis, owner, place, { confidential: true });
    const theirs = { confidential: true, assignee_id: guest.user.id };
    const secret = await openIssue(trellis, owner, place, theirs);
    const counts = () =>
      Promise.all([owner, stranger, guest].map((one) => openCount(trellis, one, place)));
    expect(await counts()).toEqual([3, 1, 2]);
    await trellis.as(owner).put(pathOf(secret), { confidential: false }).expect(200);
    expect(await counts()).toEqual([3, 2, 2]);
    await trellis.as(owner).put(pathOf(secret), { state_event: 'close' }).expect(200);
    expect(await counts()).toEqual([2, 1, 1]);
  });
});

/** What somebody is answered who asks for an issue, and for a confidential one. */
function readingStatuses(role: Role, visibility: 0 | 10 | 20): [number, number] {
  if (role === 'anonymous' || role === 'blocked') return [401, 401];
  const outsiders: Role[] = ['stranger', 'external', 'formerMember'];
  if (outsiders.includes(role)) {
    const sees = visibility === 20 || (visibility === 10 && role !== 'external');
    return sees ? [200, 404] : [404, 404];
  }
  return role === 'guest' || role === 'groupGuest' ? [200, 404] : [200, 200];
}
