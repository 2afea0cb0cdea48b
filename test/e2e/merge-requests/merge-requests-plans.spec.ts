import type { MadeProject, Person } from '../../support/factories.js';
import { addMergeRequests, furnishMergeRequests } from '../../support/merge-request-rows.js';
import { mergeRequestsOf } from '../../support/merge-requests.js';
import { tablesReadWhole } from '../../support/plans.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(180_000);

const REQUESTS = 12_000;
const STATES = ['opened', 'closed', 'merged', 'merged', 'merged', 'reopened'] as const;
/** The tables that have a row or more for each merge request. */
const LARGE = ['merge_requests', 'label_links', 'notes', 'award_emoji'];

/** How the list fares in a project of many merge requests. */
describe('lists of many merge requests', () => {
  let trellis: Trellis;
  let author: Person;
  let big: MadeProject;
  let small: MadeProject;

  beforeAll(async () => {
    trellis = await Trellis.start({ because: 'statistics' });
    author = await trellis.factories.user();
    const made = () => trellis.factories.project(author, { visibilityLevel: 20 });
    [big, small] = [await made(), await made()];
    await seed(big, REQUESTS);
    await seed(small, 30);
    // As PostgreSQL does by itself after a while.
    await trellis.rows('VACUUM ANALYZE');
  });
  afterAll(() => trellis.stop());

  async function seed(project: MadeProject, count: number): Promise<void> {
    const people = [author.user.id, ...(await trellis.factories.crowd(99))];
    const newest = Date.parse('2017-01-01T00:00:00Z');
    const ago = (minutes: number) => new Date(newest - minutes * 60_000).toISOString();
    await addMergeRequests(
      trellis,
      project,
      Array.from({ length: count }, (_, at) => ({
        authorId: people[at % people.length]!,
        state: STATES[at % STATES.length]!,
        createdAt: ago(at),
        updatedAt: ago((at * 7919) % 10_007),
        assigneeId: at % 7 === 0 ? people[(at + 1) % people.length]! : null,
      })),
    );
    await furnishMergeRequests(trellis, project);
  }

  const STATES_ASKED = ['all', 'opened', 'closed', 'merged'];
  const queries = [
    ...STATES_ASKED.flatMap((state) =>
      ['created_at', 'updated_at'].flatMap((order) =>
        ['asc', 'desc'].map((sort) => `?state=${state}&order_by=${order}&sort=${sort}`),
      ),
    ),
    ...['', '?state=merged&page=40&per_page=100', '?iid=7', '?iid[]=7&iid[]=9&state=merged'],
  ];

  it('scan no large table', async () => {
    for (const query of queries) {
      const ran = await trellis.statements.ran(() =>
        trellis
          .as(author)
          .get(`${mergeRequestsOf(big)}${query}`)
          .expect(200),
      );
      const asked = ran.filter(({ sql }) => LARGE.some((table) => sql.includes(table)));
      expect(asked.length).toBeGreaterThanOrEqual(2);
      for (const statement of asked) {
        const read = await tablesReadWhole(trellis, statement);
        expect([query, read.filter((table) => LARGE.includes(table))]).toEqual([query, []]);
      }
    }
  });

  it('take as many statements as lists of few', async () => {
    const count = async (project: MadeProject, query: string) => {
      const path = `${mergeRequestsOf(project)}${query}`;
      return (await trellis.statements.during(() => trellis.as(author).get(path).expect(200)))
        .length;
    };
    for (const query of ['', '&state=merged', '&order_by=updated_at&sort=asc']) {
      const few = await count(small, `?per_page=1${query}`);
      expect([query, await count(small, `?per_page=30${query}`)]).toEqual([query, few]);
      expect([query, await count(big, `?per_page=100${query}`)]).toEqual([query, few]);
      expect(few).toBeLessThanOrEqual(8);
    }
  });

  it('omit the total beyond 10,000 and still link to the next page', async () => {
    const first = await trellis.as(author).get(mergeRequestsOf(big)).expect(200);
    expect(first.headers).toMatchObject({ 'x-next-page': '2', 'x-page': '1' });
    expect(first.headers).not.toHaveProperty('x-total');
    const some = await trellis
      .as(author)
      .get(`${mergeRequestsOf(big)}?state=merged`)
      .expect(200);
    expect(some.headers).toMatchObject({ 'x-total': String(REQUESTS / 2) });
  });
});
