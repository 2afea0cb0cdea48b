import { IssuesService } from '../../../src/modules/issues/index.js';
import { ROLES } from '../../support/cast.js';
import { type Cast, makeCast } from '../../support/cast.js';
import type { Person } from '../../support/factories.js';
import {
  expectRightCounts,
  type IssueBody,
  issueEvents,
  issuesOf,
  openCount,
  openIssue,
  pathOf,
  systemNotes,
  todosFor,
} from '../../support/issues.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

describe('deletion and closing of issues', () => {
  let trellis: Trellis;
  let cast: Cast;
  let owner: Person;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    cast = await makeCast(trellis);
    owner = cast.people.owner as Person;
  });

  it('allows deletion to administrators and project owners', async () => {
    for (const visibility of [0, 10, 20] as const) {
      const place = cast.projects[visibility];
      for (const role of ROLES) {
        const caller = cast.people[role];
        const client = caller === null ? trellis.anonymous : trellis.as(caller);
        const mayDelete = role === 'owner' || role === 'admin';
        const author = role === 'guest' ? (caller as Person) : owner;
        const issue = await openIssue(trellis, author, place, { confidential: true });
        const { status, body } = await client.delete(pathOf(issue));
        const outside = ['stranger', 'external', 'formerMember'].includes(role);
        const isShown = visibility === 20 || (visibility === 10 && role !== 'external');
        const expected =
          role === 'anonymous' || role === 'blocked'
            ? 401
            : mayDelete
              ? 200
              : outside && !isShown
                ? 404
                : 403;
        expect([visibility, role, status]).toEqual([visibility, role, expected]);
        if (mayDelete) expect(body).toMatchObject({ id: issue.id, title: issue.title });
      }
    }
  });

  it('hides deleted issues everywhere and keeps their events', async () => {
    const project = await trellis.factories.project(owner, { visibilityLevel: 20 });
    const body = { labels: 'gone', assignee_id: owner.user.id, description: 'Text' };
    const issue = await openIssue(trellis, owner, project, body);
    const other = await openIssue(trellis, owner, project);
    const path = pathOf(issue);
    await trellis.as(owner).delete(`${path}/subscription`).expect(200);
    await trellis.as(owner).post(`${path}/notes`, { body: 'A note' }).expect(200);
    const before = (await trellis.as(owner).get(path).expect(200)).body as IssueBody;
    const answer = await trellis.as(owner).delete(path).expect(200);
    expect(answer.body).toEqual(before);
    const again = await trellis.as(owner).delete(path).expect(404);
    expect(again.body).toEqual({ message: '404 Issue Not Found' });
    const client = trellis.as(owner);
    await client.get(path).expect(404);
    await client.put(path, { title: 'x' }).expect(404);
    await client.post(`${path}/subscription`).expect(404);
    await client.post(`${path}/todo`).expect(404);
    const moved = await client.post(`${path}/move`, { to_project_id: project.id }).expect(404);
    expect(moved.body).toEqual({ message: '404 Issue Not Found' });
    const { body: list } = await client.get(issuesOf(project)).expect(200);
    expect((list as IssueBody[]).map(({ id }) => id)).toEqual([other.id]);
    expect((await client.get(`${issuesOf(project)}?labels=gone`).expect(200)).body).toEqual([]);
    const mine = (await client.get('/issues').expect(200)).body as IssueBody[];
    expect(mine.map(({ id }) => id)).not.toContain(issue.id);
    expect(await openCount(trellis, owner, project)).toBe(1);
    await expectRightCounts(trellis, project);
    expect(await todosFor(trellis, issue)).toEqual([]);
    const traces = await trellis.rows(
      `SELECT target_id FROM subscriptions WHERE target_id = $1 AND target_type = 'Issue'
       UNION ALL SELECT target_id FROM label_links WHERE target_id = $1 AND target_type = 'Issue'`,
      [issue.id],
    );
    expect(traces).toEqual([]);
    expect((await issueEvents(trellis, project)).map(({ target_id: id }) => id)).toContain(
      issue.id,
    );
  });

  it('requires an issue of the project', async () => {
    const [here, there] = [cast.projects[20], cast.projects[0]];
    const issue = await openIssue(trellis, owner, here);
    await trellis
      .as(owner)
      .delete(pathOf({ ...issue, project_id: there.id }))
      .expect(404);
    await trellis
      .as(owner)
      .delete(`${issuesOf(here)}/0`)
      .expect(404);
    await trellis
      .as(owner)
      .delete(`${issuesOf(here)}/x`)
      .expect(400);
    await trellis.as(owner).get(pathOf(issue)).expect(200);
  });

  it('closes an issue once for concurrent calls, and names the commit in a note', async () => {
    const project = await trellis.factories.project(owner);
    const issue = await openIssue(trellis, owner, project, { confidential: true });
    await trellis
      .as(owner)
      .post(`${pathOf(issue)}/todo`)
      .expect(200);
    const closing = trellis.app.get(IssuesService);
    const close = (projectId: number) =>
      closing.close({
        ...{ projectId, issueId: issue.id, actorId: owner.user.id },
        via: `commit ${'a'.repeat(40)}`,
      });
    expect(await close(cast.projects[0].id)).toBe(false);
    expect((await Promise.all([close(project.id), close(project.id)])).toSorted()).toEqual([
      ...[false, true],
    ]);
    expect((await trellis.as(owner).get(pathOf(issue)).expect(200)).body).toMatchObject({
      state: 'closed',
    });
    expect(await systemNotes(trellis, issue)).toEqual([`closed via commit ${'a'.repeat(40)}`]);
    const events = await issueEvents(trellis, project);
    expect(events.map(({ action }) => action)).toEqual(['opened', 'closed']);
    expect((await todosFor(trellis, issue)).map(({ state }) => state)).toEqual(['done']);
    await expectRightCounts(trellis, project);
  });
});
