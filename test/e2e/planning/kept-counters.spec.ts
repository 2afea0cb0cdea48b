import { array, assert, asyncProperty, constantFrom, nat, record } from 'fast-check';
import { VerifyCountersJob } from '../../../src/modules/issuables/counters/verify-counters.job.js';
import { AccountErasure } from '../../../src/modules/users/index.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { type IssueBody, issuesOf, openIssue } from '../../support/issues.js';
import { seedOf } from '../../support/lengths.js';
import { addMergeRequests } from '../../support/merge-request-rows.js';
import { mergeRequestsOf } from '../../support/merge-requests.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(300_000);

const SEED = seedOf(20_170_123);
const AT_ONCE = 6;

const ACTIONS = [
  ...['comment', 'uncomment', 'up', 'down', 'unaward', 'close', 'reopen', 'hide', 'show'],
  ...['move', 'remove', 'open', 'erase'],
] as const;
type Action = (typeof ACTIONS)[number];

interface Step {
  does: Action;
  by: number;
  on: number;
}

/** An issue or merge request that steps act on. */
interface Target {
  path: string;
  isIssue: boolean;
}

const ROWS = [
  ['issues', 'Issue'],
  ['merge_requests', 'MergeRequest'],
] as const;

describe('kept counters', () => {
  let trellis: Trellis;
  let people: Person[];
  let voter: Person;
  let home: MadeProject;
  let other: MadeProject;

  beforeAll(async () => {
    trellis = await Trellis.start();
    const { factories } = trellis;
    const projectsLimit = 100;
    people = [await factories.user({ projectsLimit }), await factories.user()];
    voter = await factories.user();
  });
  afterAll(() => trellis.stop());

  async function begin(): Promise<Target[]> {
    const { factories } = trellis;
    [home, other] = [await factories.project(people[0]!), await factories.project(people[0]!)];
    for (const { id } of [home, other]) {
      await trellis.rows(
        `INSERT INTO project_members (project_id, user_id, access_level)
         SELECT $1, id, 40 FROM unnest($2::int[]) AS id ON CONFLICT DO NOTHING`,
        [id, [...people.slice(1), voter].map(({ user }) => user.id)],
      );
    }
    const issues: IssueBody[] = [];
    for (let n = 0; n < 4; n += 1) issues.push(await openIssue(trellis, people[0]!, home));
    const requests = await addMergeRequests(
      trellis,
      home,
      (['opened', 'closed', 'merged'] as const).map((state) => ({
        authorId: people[0]!.user.id,
        state,
      })),
    );
    return [
      ...issues.map(({ id }) => ({ path: `${issuesOf(home)}/${String(id)}`, isIssue: true })),
      ...requests.map((id) => ({
        path: `${mergeRequestsOf(home)}/${String(id)}`,
        isIssue: false,
      })),
    ];
  }

  async function run(targets: readonly Target[], { does, by, on }: Step): Promise<void> {
    const client = trellis.as(does === 'erase' ? voter : people[by % people.length]!);
    const target = targets[on % targets.length]!;
    const change = (body: object) => client.put(target.path).send(body);
    const last = async (what: string): Promise<string> => {
      const { body } = await client.get(`${target.path}/${what}?per_page=100`);
      const rows = (Array.isArray(body) ? body : []) as { id: number }[];
      return `${target.path}/${what}/${String(rows.at(-1)?.id ?? 1)}`;
    };
    const emoji = (name: string) => client.post(`${target.path}/award_emoji`).send({ name });
    const acts: Record<Action, () => PromiseLike<{ status: number }>> = {
      comment: () => client.post(`${target.path}/notes`).send({ body: 'A word' }),
      uncomment: async () => client.delete(await last('notes')),
      up: () => emoji('thumbsup'),
      down: () => emoji('thumbsdown'),
      unaward: async () => client.delete(await last('award_emoji')),
      close: () => change({ state_event: 'close' }),
      reopen: () => change(target.isIssue ? { state_event: 'reopen' } : { title: 'Renamed' }),
      hide: () => change(target.isIssue ? { confidential: true } : { title: 'Hidden' }),
      show: () => change(target.isIssue ? { confidential: false } : { title: 'Shown' }),
      move: () => client.post(`${target.path}/move`).send({ to_project_id: other.id }),
      remove: () => trellis.as(people[0]!).delete(target.path),
      open: () => client.post(issuesOf(home)).send({ title: 'One more', confidential: by === 1 }),
      erase: async () => {
        await emoji('thumbsup');
        return { status: 200 };
      },
    };
    const { status } = await acts[does]();
    expect([does, status < 500]).toEqual([does, true]);
  }

  /** The rows whose counters differ from what they count. */
  async function wrongOnes(): Promise<unknown[]> {
    const wrong: unknown[] = [];
    for (const [table, type] of ROWS) {
      wrong.push(
        ...(await trellis.rows(
          `SELECT '${table}' AS of, t.id, user_notes_count, notes, upvotes, up, downvotes, down
             FROM ${table} t,
                  LATERAL (SELECT count(*)::int AS notes FROM notes
                            WHERE noteable_type = '${type}' AND noteable_id = t.id AND NOT system) n,
                  LATERAL (SELECT (count(*) FILTER (WHERE name = 'thumbsup'))::int AS up,
                                  (count(*) FILTER (WHERE name = 'thumbsdown'))::int AS down
                             FROM award_emoji
                            WHERE awardable_type = '${type}' AND awardable_id = t.id) a
            WHERE (user_notes_count, upvotes, downvotes) <> (notes, up, down)`,
        )),
      );
    }
    const byState = `count(*) FILTER (WHERE state IN ('opened', 'reopened')) AS opened,
                     count(*) FILTER (WHERE state = 'closed') AS closed`;
    const hidden = `count(*) FILTER (WHERE state = 'opened' AND confidential) AS opened_confidential,
                    count(*) FILTER (WHERE state = 'closed' AND confidential) AS closed_confidential`;
    const merged = `count(*) FILTER (WHERE state = 'merged') AS merged`;
    // A project without any may have a row of zeros.
    for (const [table, counts, more, all] of [
      ['issues', 'issue_counts', hidden, 'c.opened + c.closed'],
      ['merge_requests', 'merge_request_counts', merged, 'c.opened + c.closed + c.merged'],
    ]) {
      wrong.push(
        ...(await trellis.rows(
          `SELECT to_jsonb(c) AS kept, to_jsonb(r) AS real
             FROM ${counts!} c
             FULL JOIN (SELECT project_id, ${byState}, ${more!} FROM ${table!}
                    WHERE deleted_at IS NULL GROUP BY 1) r USING (project_id)
            WHERE to_jsonb(c) IS DISTINCT FROM to_jsonb(r)
              AND NOT (r.project_id IS NULL AND ${all!} = 0)`,
        )),
      );
    }
    return wrong;
  }

  it(`stay exact while everything is changed at once (seed ${String(SEED)})`, async () => {
    const step = record({ does: constantFrom(...ACTIONS), by: nat(1), on: nat(6) });
    const property = asyncProperty(array(step, { minLength: 60, maxLength: 90 }), async (steps) => {
      const targets = await begin();
      const left = [...steps];
      const work = async () => {
        for (let next = left.pop(); next !== undefined; next = left.pop()) await run(targets, next);
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
      expect(await wrongOnes()).toEqual([]);
    });
    await assert(property, { seed: SEED, numRuns: 3, endOnFailure: true });
    const [counted] = await trellis.rows<{ notes: number; up: number; closed: number }>(
      `SELECT sum(user_notes_count)::int AS notes, sum(upvotes)::int AS up,
              (SELECT sum(closed)::int FROM issue_counts) AS closed FROM issues`,
    );
    for (const number of Object.values(counted!)) expect(number).toBeGreaterThan(0);
  });

  it('lose the votes of an account that is erased', async () => {
    const [target] = await begin();
    await trellis.as(voter).post(`${target!.path}/award_emoji`).send({ name: 'thumbsup' });
    const steps = trellis.app
      .get(AccountErasure)
      .steps.filter(({ name }) => name.includes('Award'));
    expect(steps).not.toEqual([]);
    for (const { run: erase } of steps) await erase(voter.user.id, 0);
    const { body } = await trellis.as(people[0]!).get(target!.path).expect(200);
    expect(body).toMatchObject({ upvotes: 0 });
    expect(await wrongOnes()).toEqual([]);
  });

  it('ignore the counts that an older version beside adds', async () => {
    await begin();
    await trellis.rows(
      `INSERT INTO issue_counts AS counts (project_id, opened, opened_confidential)
       VALUES ($1::int, 1, 0)
       ON CONFLICT (project_id) DO UPDATE SET opened = counts.opened + excluded.opened`,
      [home.id],
    );
    expect(await wrongOnes()).toEqual([]);
  });

  it('are counted when the version that keeps them is installed', async () => {
    const [issue] = await begin();
    await trellis.as(people[0]!).post(`${issue!.path}/notes`).send({ body: 'A word' });
    await trellis.as(voter).post(`${issue!.path}/award_emoji`).send({ name: 'thumbsup' });
    await trellis.dataSource.undoLastMigration();
    await trellis.dataSource.undoLastMigration();
    await trellis.dataSource.runMigrations();
    expect(await wrongOnes()).toEqual([]);
    const { body } = await trellis.as(people[0]!).get(issue!.path).expect(200);
    expect(body).toMatchObject({ user_notes_count: 1, upvotes: 1 });
  });

  it('are verified and corrected by a job', async () => {
    await begin();
    await trellis.rows(
      'UPDATE issues SET upvotes = 7, user_notes_count = 3 WHERE project_id = $1',
      [home.id],
    );
    await trellis.rows('UPDATE merge_requests SET downvotes = 1 WHERE project_id = $1', [home.id]);
    await trellis.rows('UPDATE issue_counts SET closed = 9 WHERE project_id = $1', [home.id]);
    await trellis.rows('DELETE FROM merge_request_counts WHERE project_id = $1', [home.id]);
    await trellis.app.get(VerifyCountersJob).handle({}, new AbortController());
    expect(await wrongOnes()).toEqual([]);
    const [row] = await trellis.rows('SELECT * FROM merge_request_counts WHERE project_id = $1', [
      home.id,
    ]);
    expect(row).toMatchObject({ opened: 1, closed: 1, merged: 1 });
  });
});
