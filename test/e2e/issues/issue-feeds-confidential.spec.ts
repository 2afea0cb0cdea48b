import { type Cast, makeCast, ROLES, type Role } from '../../support/cast.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { type EventBody, feedBy, feedOf, readFeed } from '../../support/feeds.js';
import { type IssueBody, openIssue, pathOf } from '../../support/issues.js';
import { comment } from '../../support/notes.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(180_000);

/** Who reads the confidential issues of a project as one of its members. */
const TRUSTED = new Set<Role>([
  ...(['reporter', 'developer', 'master', 'owner', 'admin'] as const),
  ...(['externalMember', 'groupMember'] as const),
]);

/** Blocked accounts read no feeds. */
const READERS: readonly Role[] = ROLES.filter((role) => role !== 'blocked');

/** The strongest readers who are not trusted, and the weakest who are. */
const AT_THE_LINE: readonly Role[] = ['anonymous', 'stranger', 'guest', 'reporter'];

describe('Confidential issues in the feeds', () => {
  let trellis: Trellis;
  let cast: Cast;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    cast = await makeCast(trellis);
  });

  const person = (role: Role) => cast.people[role] as Person;

  beforeEach(async () => {
    await trellis.rows(`DELETE FROM events WHERE target_type IN ('Issue', 'IssueNote')`);
  });

  const ofIssues = (events: EventBody[]) =>
    events.filter(({ target_type: type }) => type === 'Issue' || type === 'Note');

  /** How many events on issues somebody finds in the feeds of a project and of the acting one. */
  async function seenBy(role: Role, project: MadeProject, actor: Role): Promise<number[]> {
    const reader = cast.people[role];
    const counts = [ofIssues(await readFeed(trellis, reader, feedOf(project))).length];
    if (reader === null) return counts;
    const own = ofIssues(await readFeed(trellis, reader, feedBy(person(actor))));
    return [...counts, own.filter(({ project_id: id }) => id === project.id).length];
  }

  async function expectSeen(
    project: MadeProject,
    actor: Role,
    expected: (role: Role) => number,
    roles = READERS,
  ): Promise<void> {
    for (const role of roles) {
      const count = expected(role);
      const counts = role === 'anonymous' ? [count] : [count, count];
      expect([role, await seenBy(role, project, actor)]).toEqual([role, counts]);
    }
  }

  /** Opens, comments on and closes an issue: three events. */
  async function workOn(project: MadeProject, body: object): Promise<IssueBody> {
    const issue = await openIssue(trellis, person('owner'), project, body);
    await comment(trellis, person('owner'), issue);
    await trellis.as(person('owner')).put(pathOf(issue), { state_event: 'close' }).expect(200);
    return issue;
  }
  const change = (issue: IssueBody, body: object) =>
    trellis.as(person('owner')).put(pathOf(issue), body).expect(200);

  it('are shown to their author, their assignee and members from reporter on', async () => {
    const project = cast.projects[20];
    const issue = await openIssue(trellis, person('stranger'), project, { confidential: true });
    await change(issue, { assignee_id: person('external').user.id });
    await comment(trellis, person('stranger'), issue);
    const readers = new Set<Role>([...TRUSTED, 'stranger', 'external']);
    await expectSeen(project, 'stranger', (role) => (readers.has(role) ? 2 : 0));
  });

  it.each([0, 10, 20] as const)(
    'are the only issues hidden on a project of visibility %d',
    async (visibility) => {
      const project = cast.projects[visibility];
      await workOn(project, {});
      await workOn(project, { confidential: true });
      for (const role of READERS) {
        const reader = cast.people[role];
        const client = reader === null ? trellis.anonymous : trellis.as(reader);
        const { status } = await client.get(feedOf(project));
        const expected = TRUSTED.has(role) ? 6 : 3;
        if (status === 200) {
          const [count] = await seenBy(role, project, 'owner');
          expect([role, count]).toEqual([role, expected]);
        }
        if (reader === null) continue;
        const own = ofIssues(await readFeed(trellis, reader, feedBy(person('owner'))));
        expect([role, own.length]).toEqual([role, status === 200 ? expected : 0]);
      }
    },
  );

  it('are shown by their current confidentiality and assignee', async () => {
    const project = cast.projects[20];
    const issue = await workOn(project, {});
    const expectOfOwner = (expected: (role: Role) => number) =>
      expectSeen(project, 'owner', expected, AT_THE_LINE);
    await expectOfOwner(() => 3);
    await change(issue, { confidential: true });
    await expectOfOwner((role) => (TRUSTED.has(role) ? 3 : 0));
    await change(issue, { assignee_id: person('guest').user.id });
    await expectOfOwner((role) => (TRUSTED.has(role) || role === 'guest' ? 3 : 0));
    await change(issue, { assignee_id: 0 });
    await expectOfOwner((role) => (TRUSTED.has(role) ? 3 : 0));
    await change(issue, { confidential: false });
    await expectOfOwner(() => 3);
  });

  it('stay hidden after their deletion', async () => {
    const project = cast.projects[20];
    const issue = await workOn(project, { confidential: true });
    await trellis.as(person('owner')).delete(pathOf(issue)).expect(200);
    await expectSeen(project, 'owner', (role) => (TRUSTED.has(role) ? 3 : 0), AT_THE_LINE);
  });

  it('are shown by the current access level of the reader', async () => {
    const project = await trellis.factories.project(person('owner'), { visibilityLevel: 20 });
    await workOn(project, { confidential: true });
    const reader = person('stranger');
    const seen = () => seenBy('stranger', project, 'owner');
    expect(await seen()).toEqual([0, 0]);
    for (const [level, count] of [
      [10, 0],
      [20, 3],
    ] as const) {
      await trellis.factories.addToProject(project, reader, level);
      expect(await seen()).toEqual([count, count]);
      await trellis.rows('DELETE FROM project_members WHERE project_id = $1 AND user_id = $2', [
        ...[project.id, reader.user.id],
      ]);
    }
    expect(await seen()).toEqual([0, 0]);
  });

  it('do not require a scan of all issues', async () => {
    const project = cast.projects[20];
    await trellis.rows(
      `WITH made AS (
         INSERT INTO issues (project_id, iid, title, author_id, confidential)
         SELECT $1, 1000 + n, 'Issue', $2, n % 50 = 0 FROM generate_series(1, 2000) n RETURNING id
       ), noted AS (
         INSERT INTO notes (project_id, noteable_type, noteable_id, author_id, body)
         SELECT $1, 'Issue', id, $2, 'Text' FROM made RETURNING id)
       INSERT INTO events (project_id, author_id, action, target_type, target_id)
       SELECT $1, $2, 'opened', 'Issue', id FROM made
        UNION ALL SELECT $1, $2, 'commented on', 'IssueNote', id FROM noted`,
      [project.id, person('owner').user.id],
    );
    await trellis.rows('ANALYZE');
    for (const path of [feedOf(project), feedBy(person('owner'))]) {
      const ran = await trellis.statements.ran(() =>
        trellis.as(person('guest')).get(path).expect(200),
      );
      const ofFeed = ran.filter(({ sql }) => sql.includes('FROM events'));
      expect(ofFeed.length).toBeGreaterThanOrEqual(2);
      for (const { sql, parameters } of ofFeed) {
        const rows = await trellis.rows<{ 'QUERY PLAN': string }>(`EXPLAIN ${sql}`, parameters);
        const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
        expect(plan).not.toMatch(/Seq Scan on issues/);
      }
    }
  });
});
