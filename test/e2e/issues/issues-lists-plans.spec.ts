import type { MadeGroup, MadeProject, Person } from '../../support/factories.js';
import { issuesOf } from '../../support/issues.js';
import { tablesReadWhole } from '../../support/plans.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(180_000);

const ISSUES = 10_200;

/** How the lists fare in a project of many issues. */
describe('lists of many issues', () => {
  let trellis: Trellis;
  let author: Person;
  let visitor: Person;
  let group: MadeGroup;
  let big: MadeProject;
  let small: MadeProject;

  beforeAll(async () => {
    trellis = await Trellis.start({ because: 'statistics' });
    const { factories } = trellis;
    author = await factories.user();
    visitor = await factories.user();
    group = await factories.group(author);
    const made = () => factories.project(author, { visibilityLevel: 20, namespaceId: group.id });
    [big, small] = [await made(), await made()];
    await seed(big, ISSUES);
    await seed(small, 30);
    await trellis.rows('ANALYZE');
  });
  afterAll(() => trellis.stop());

  /** Half with a milestone, one in a hundred confidential; labels on every one, and on few. */
  async function seed({ id }: MadeProject, count: number): Promise<void> {
    await trellis.rows(
      `WITH milestone AS (
         INSERT INTO milestones (project_id, iid, title) VALUES ($1, 1, 'one') RETURNING id
       ), label AS (
         INSERT INTO labels (project_id, name, color)
         VALUES ($1, 'common', '#428BCA'), ($1, 'rare', '#428BCA') RETURNING id, name
       ), issue AS (
         INSERT INTO issues (project_id, iid, title, author_id, assignee_id, milestone_id, state,
                             confidential, created_at, updated_at)
         SELECT $1, n, 'Issue ' || n, crowd[1 + n % 100], CASE n % 7 WHEN 0 THEN crowd[1 + n % 90] END,
                CASE n % 2 WHEN 0 THEN (SELECT id FROM milestone) END,
                CASE n % 3 WHEN 0 THEN 'closed' ELSE 'opened' END, n % 100 = 0,
                now() - n * interval '1 minute', now() - n * 7919 % 10007 * interval '1 minute'
           FROM generate_series(1, $2::int) n, (SELECT $3::int[] AS crowd) people
         RETURNING id, iid, created_at, state, confidential, author_id)
       INSERT INTO label_links (target_type, target_id, label_id, created_at, state, confidential,
                                author_id)
       SELECT 'Issue', issue.id, label.id, issue.created_at, state, confidential, author_id FROM issue, label
        WHERE label.name = 'common' OR iid % 1000 = 0`,
      [id, count, [author.user.id, ...(await trellis.factories.crowd(99))]],
    );
  }

  const lists = () => {
    const project = issuesOf(big);
    const ofGroup = `/groups/${String(group.id)}/issues`;
    return [
      ...[project, `${project}?state=closed`, `${project}?order_by=updated_at&sort=asc`],
      ...[`${project}?labels=common`, `${project}?labels=rare`, `${project}?labels=common,rare`],
      ...[`${project}?labels=common&order_by=updated_at`, `${project}?milestone=one`],
      ...[`${project}?milestone=No%20Milestone&state=opened`, `${project}?iid=7`],
      ...[`${project}?labels=common&milestone=one&state=closed`, `${project}?page=90&per_page=100`],
      ...[ofGroup, `${ofGroup}?labels=common,rare`, `${ofGroup}?milestone=one&state=opened`],
      ...[`${ofGroup}?order_by=updated_at`, '/issues', '/issues?order_by=updated_at&state=closed'],
      ...['/issues?labels=rare', '/issues?milestone=one', '/issues?milestone=No%20Milestone'],
    ];
  };

  const isList = (sql: string) => sql.includes('FROM issues') || sql.includes('label_links link');

  it('do not scan all issues', async () => {
    for (const person of [author, visitor]) {
      for (const path of lists()) {
        const ran = await trellis.statements.ran(() => trellis.as(person).get(path).expect(200));
        const asked = ran.filter(({ sql }) => isList(sql));
        // A visitor has written nothing: there is no list to be asked for.
        if (person === author || !path.startsWith('/issues'))
          expect(asked.length).toBeGreaterThan(0);
        for (const statement of asked) {
          const read = await tablesReadWhole(trellis, statement);
          expect([path, read.includes('issues'), read]).toEqual([path, false, read]);
        }
      }
    }
  });

  it('find the issues of an assignee by an index, for any order', async () => {
    const { id } = author.user;
    for (const path of [
      ...['/issues?scope=assigned_to_me', `${issuesOf(big)}?scope=assigned_to_me&state=opened`],
      ...[
        `/issues?scope=all&assignee_id=${String(id)}`,
        `${issuesOf(big)}?assignee_id=${String(id)}`,
      ],
      `/groups/${String(group.id)}/issues?assignee_id=${String(id)}&order_by=updated_at&sort=asc`,
    ]) {
      const call = () => trellis.as(author).v4.get(path).expect(200);
      const asked = (await trellis.statements.ran(call)).filter(({ sql }) => isList(sql));
      expect(asked.length).toBeGreaterThan(0);
      for (const statement of asked) {
        const read = await tablesReadWhole(trellis, statement);
        expect([path, read.includes('issues'), read]).toEqual([path, false, read]);
      }
    }
  });

  it('take as many statements as lists of few', async () => {
    const count = async (path: string) => {
      const call = () => trellis.as(author).get(path).expect(200);
      return (await trellis.statements.during(call)).length;
    };
    for (const query of [
      '',
      '?labels=common&milestone=one',
      '?labels=common&order_by=updated_at',
    ]) {
      const full = query === '' ? '?per_page=100' : `${query}&per_page=100`;
      const few = await count(`${issuesOf(small)}${query}`);
      expect([query, await count(`${issuesOf(big)}${full}`)]).toEqual([query, few]);
      expect(few).toBeLessThanOrEqual(10);
    }
    for (const path of ['/issues', `/groups/${String(group.id)}/issues`]) {
      const few = await count(`${path}?per_page=5`);
      expect([path, await count(`${path}?per_page=100`)]).toEqual([path, few]);
    }
  });

  it('omit the total beyond 10,000 and still link to the next page', async () => {
    const first = await trellis.as(author).get(issuesOf(big)).expect(200);
    expect(first.headers).toMatchObject({ 'x-next-page': '2', 'x-page': '1' });
    expect(first.headers).not.toHaveProperty('x-total');
    const some = await trellis
      .as(author)
      .get(`${issuesOf(big)}?state=closed`)
      .expect(200);
    expect(some.headers).toMatchObject({ 'x-total': String(Math.floor(ISSUES / 3)) });
    const last = await trellis
      .as(author)
      .get(`${issuesOf(big)}?per_page=100&page=${String(ISSUES / 100)}`)
      .expect(200);
    expect(last.body).toHaveLength(100);
    expect(last.headers).toMatchObject({ 'x-next-page': '' });
  });
});
