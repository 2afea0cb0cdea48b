import pg from 'pg';
import type { MadeProject, Person } from '../../support/factories.js';
import { addIssues } from '../../support/issue-rows.js';
import { issuesOf } from '../../support/issues.js';
import { addMergeRequests, furnishMergeRequests } from '../../support/merge-request-rows.js';
import { mergeRequestsOf } from '../../support/merge-requests.js';
import { keptPlan } from '../../support/plans.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(240_000);

const MANY = 2_500;

/** The tables that are large in a large instance. */
const LARGE = [
  ...['issues', 'merge_requests', 'notes', 'award_emoji', 'label_links', 'subscriptions'],
  ...['users', 'projects', 'namespaces', 'project_members', 'issue_counts'],
];

/** A project with what is read of it. */
interface Furnished {
  project: MadeProject;
  issue: number;
  mergeRequest: number;
}

/** The statements of the requests that clients send most. */
describe('hot statements', () => {
  let trellis: Trellis;
  let client: pg.Client;
  let author: Person;
  let reporter: Person;
  let visitor: Person;
  let small: Furnished;

  beforeAll(async () => {
    trellis = await Trellis.start({ because: 'statistics' });
    client = new pg.Client({ connectionString: trellis.databaseUrl });
    await client.connect();
    author = await trellis.factories.user();
    reporter = await trellis.factories.user();
    visitor = await trellis.factories.user();
    small = await furnish(30);
    await trellis.rows('VACUUM ANALYZE');
  });
  afterAll(async () => {
    await client.end();
    await trellis.stop();
  });

  async function furnish(count: number): Promise<Furnished> {
    const project = await trellis.factories.project(author, { visibilityLevel: 20 });
    await trellis.rows(
      'INSERT INTO project_members (project_id, user_id, access_level) VALUES ($1, $2, 20)',
      [project.id, reporter.user.id],
    );
    const [milestone] = await trellis.rows<{ id: number }>(
      `INSERT INTO milestones (project_id, iid, title) VALUES ($1, 2, 'two') RETURNING id`,
      [project.id],
    );
    const people = [author.user.id, reporter.user.id, visitor.user.id];
    const rows = Array.from({ length: count }, (_, at) => ({
      authorId: people[at % people.length]!,
      milestoneId: at % 3 === 0 ? milestone!.id : null,
      state: at % 4 === 0 ? ('closed' as const) : ('opened' as const),
      confidential: at % 50 === 7,
    }));
    const issues = await addIssues(trellis, project, rows);
    await trellis.rows(
      `INSERT INTO notes (project_id, noteable_type, noteable_id, author_id, body)
       SELECT $1, 'Issue', id, author_id, 'A word on it' FROM issues, generate_series(1, 2)
        WHERE project_id = $1`,
      [project.id],
    );
    await trellis.rows(
      `INSERT INTO subscriptions (project_id, target_type, target_id, user_id, subscribed)
       SELECT $1, 'Issue', id, author_id, true FROM issues WHERE project_id = $1`,
      [project.id],
    );
    const requests = rows.map(({ authorId }) => ({ authorId, state: 'opened' as const }));
    const [mergeRequest] = await addMergeRequests(trellis, project, requests);
    await furnishMergeRequests(trellis, project);
    return { project, issue: issues[count - 2]!, mergeRequest: mergeRequest! };
  }

  const requestsOf = ({ project, issue, mergeRequest }: Furnished): string[] => [
    ...['', '?state=opened', '?order_by=updated_at&sort=asc', '?page=2', '?per_page=100'].flatMap(
      (query) => [issuesOf(project) + query, mergeRequestsOf(project) + query],
    ),
    `${issuesOf(project)}/${String(issue)}`,
    `${issuesOf(project)}/${String(issue)}/notes`,
    `${mergeRequestsOf(project)}/${String(mergeRequest)}`,
    `${mergeRequestsOf(project)}/${String(mergeRequest)}/notes`,
    ...[`/projects/${String(project.id)}`, '/projects', '/user'],
  ];

  /** The requests with a statement that PostgreSQL plans each time, or for which it reads a large table whole. */
  async function badlyPlanned(furnished: Furnished): Promise<unknown[]> {
    const bad: unknown[] = [];
    const examined = new Set<string>();
    for (const person of [author, reporter, visitor]) {
      for (const path of requestsOf(furnished)) {
        const get = () => trellis.as(person).get(path).expect(200);
        // The first one checks whether a merge request can be merged, and stores it.
        await get();
        for (const statement of await trellis.statements.ran(get)) {
          // The caller is looked up by the same statement for each request.
          const key = JSON.stringify(statement);
          if (examined.has(key)) continue;
          examined.add(key);
          const { isKept, readWhole } = await keptPlan(client, statement);
          const large = isLarge ? readWhole.filter((table) => LARGE.includes(table)) : [];
          if (!isKept || large.length > 0) bad.push({ path, isKept, large, sql: statement.sql });
        }
      }
    }
    return bad;
  }

  let isLarge = false;

  async function grow(): Promise<void> {
    await trellis.factories.crowd(1_000);
    await trellis.rows(
      `INSERT INTO namespaces (name, path, visibility_level)
       SELECT 'G ' || n, 'grown-' || n, 0 FROM generate_series(1, 1000) n`,
    );
    await trellis.rows(
      `WITH made AS (
         INSERT INTO projects (namespace_id, creator_id, name, path, visibility_level, runners_token_sealed)
         SELECT id, $1, 'Project', 'project', 0, 'none' FROM namespaces WHERE path LIKE 'grown-%'
         RETURNING id
       ), members AS (
         INSERT INTO project_members (project_id, user_id, access_level)
         SELECT made.id, u.id, 20 FROM made, LATERAL (
           SELECT id FROM users ORDER BY id OFFSET made.id % 700 LIMIT 3) u)
       INSERT INTO issues (project_id, iid, author_id, title) SELECT id, 1, $1, 'One' FROM made`,
      [author.user.id],
    );
  }

  it('are planned once on small tables', async () => {
    expect(await badlyPlanned(small)).toEqual([]);
  });

  it('are planned once and use indexes on large tables', async () => {
    isLarge = true;
    await grow();
    const large = await furnish(MANY);
    await trellis.rows('VACUUM ANALYZE');
    expect(await badlyPlanned(large)).toEqual([]);
    expect(await badlyPlanned(small)).toEqual([]);
  });

  it('are at most two per request: one for the caller, one for the response', async () => {
    const counted: Record<string, number> = {};
    for (const path of requestsOf(small)) {
      const get = () => trellis.as(reporter).get(path).expect(200);
      const { length } = await trellis.statements.during(get);
      // Notes take one more, for their issue or merge request, at once.
      counted[path] = length - (path.endsWith('/notes') ? 1 : 0);
    }
    // A list of projects selects the page before it loads it. The account of the caller is the answer itself.
    const most: Record<string, number> = { '/projects': 3, '/user': 1 };
    expect(Object.entries(counted).filter(([path, count]) => count > (most[path] ?? 2))).toEqual(
      [],
    );
  });
});
