import type { MadeProject, Person } from '../support/factories.js';
import { addMergeRequests } from '../support/merge-request-rows.js';
import { mergeRequestsOf } from '../support/merge-requests.js';
import { tablesReadWhole } from '../support/plans.js';
import { Trellis } from '../support/trellis.js';

jest.setTimeout(180_000);

const REQUESTS = 12_000;
const STATES = ['opened', 'closed', 'merged', 'merged', 'merged', 'reopened'] as const;

/** How the list fares in a project of many merge requests. */
describe('lists of many merge requests', () => {
  let trellis: Trellis;
  let author: Person;
  let big: MadeProject;
  let small: MadeProject;

  beforeAll(async () => {
    trellis = await Trellis.start();
    author = await trellis.factories.user();
    const made = () => trellis.factories.project(author, { visibilityLevel: 20 });
    [big, small] = [await made(), await made()];
    await seed(big, REQUESTS);
    await seed(small, 30);
    await trellis.rows('ANALYZE');
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
      })),
    );
  }

  const queries = [
    ...['', '?state=opened', '?state=merged&page=40&per_page=100', '?iid=7&state=all'],
    ...['?order_by=updated_at', '?order_by=updated_at&sort=asc&state=closed', '?iid[]=7&iid[]=9'],
  ];

  it('read no merge requests from end to end', async () => {
    for (const query of queries) {
      const ran = await trellis.statements.ran(() =>
        trellis
          .as(author)
          .get(`${mergeRequestsOf(big)}${query}`)
          .expect(200),
      );
      const asked = ran.filter(({ sql }) => sql.includes('FROM merge_requests'));
      expect(asked.length).toBeGreaterThan(1);
      for (const statement of asked) {
        const read = await tablesReadWhole(trellis, statement);
        expect([query, read]).toEqual([query, expect.not.arrayContaining(['merge_requests'])]);
      }
    }
  });

  it('take as many statements as those of few', async () => {
    const count = async (project: MadeProject, query: string) => {
      const path = `${mergeRequestsOf(project)}${query}`;
      return (await trellis.statements.during(() => trellis.as(author).get(path).expect(200)))
        .length;
    };
    expect(await count(big, '?per_page=100')).toBe(await count(small, '?per_page=5'));
  });

  it('tell no total beyond 10,000, and where they go on all the same', async () => {
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
