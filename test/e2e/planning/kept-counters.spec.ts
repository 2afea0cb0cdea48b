import { array, assert, asyncProperty, constantFrom, nat, record } from 'fast-check';
import { VerifyCountersJob } from '../../../src/modules/issuables/model/counters/verify-counters.job.js';
import { AccountErasure } from '../../../src/modules/users/index.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { type IssueBody, issuesOf, openIssue } from '../../support/issues.js';
import { isSeedFixed, seedOf } from '../../support/lengths.js';
import { addMergeRequests } from '../../support/merge-request-rows.js';
import { mergeRequestsOf } from '../../support/merge-requests.js';
import { countLockWaits } from '../../support/table-lock.js';
import { Trellis } from '../../support/trellis.js';
import { until } from '../../support/until.js';

jest.setTimeout(300_000);

const SEED = seedOf(20_170_123);
const AT_ONCE = 6;

const ACTIONS = [
  ...['comment', 'uncomment', 'up', 'down', 'unaward', 'close', 'reopen', 'hide', 'show'],
  ...['move', 'remove', 'open', 'erase', 'label', 'label', 'drop label'],
] as const;
type Action = (typeof ACTIONS)[number];

const LABELS = ['bug', 'ui', 'bug,ui', 'ui,ops', ''];

interface Step {
  does: Action;
  by: number;
  on: number;
}

interface LabelBody {
  name: string;
  open_issues_count: number;
  closed_issues_count: number;
}

const labelsOf = ({ id }: MadeProject): string => `/projects/${String(id)}/labels`;

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
    trellis = await Trellis.start({ because: 'state of the instance' });
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
      label: () => change({ labels: LABELS[(by + on) % LABELS.length] }),
      'drop label': () => trellis.as(people[0]!).delete(`${labelsOf(home)}?name=ops`),
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
    wrong.push(
      ...(await trellis.rows(
        `SELECT l.name, t.type, kept.*, links.*
           FROM labels l CROSS JOIN (VALUES ('Issue'), ('MergeRequest')) AS t (type),
                LATERAL (SELECT coalesce(sum(opened), 0) AS opened, coalesce(sum(closed), 0) AS closed,
                                coalesce(sum(opened_confidential), 0) AS hidden,
                                coalesce(sum(closed_confidential), 0) AS closed_hidden
                           FROM (SELECT * FROM label_counts
                                  UNION ALL
                                 SELECT label_id, target_type, opened, opened_confidential, closed, closed_confidential
                                   FROM label_count_changes) c
                          WHERE c.label_id = l.id AND c.target_type = t.type) kept,
                LATERAL (SELECT count(*) FILTER (WHERE state <> 'closed') AS open_links,
                                count(*) FILTER (WHERE state = 'closed') AS closed_links,
                                count(*) FILTER (WHERE state <> 'closed' AND confidential) AS hidden_links,
                                count(*) FILTER (WHERE state = 'closed' AND confidential) AS closed_hidden_links
                           FROM label_links k
                          WHERE k.label_id = l.id AND k.target_type = t.type AND k.state <> 'merged') links
          WHERE (opened, closed, hidden, closed_hidden)
                <> (open_links, closed_links, hidden_links, closed_hidden_links)`,
      )),
    );
    return wrong;
  }

  /** The numbers of open and closed issues of a label, as a member reads them. */
  async function countsOf(name: string): Promise<number[]> {
    const { body } = await trellis.as(people[0]!).get(labelsOf(home)).expect(200);
    const label = (body as LabelBody[]).find((one) => one.name === name)!;
    return [label.open_issues_count, label.closed_issues_count];
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
    const [counted] = await trellis.rows<Record<string, number>>(
      `SELECT sum(user_notes_count)::int AS notes, sum(upvotes)::int AS up,
              (SELECT sum(closed)::int FROM issue_counts) AS closed,
              (SELECT sum(opened + closed)::int FROM label_counts WHERE target_type = 'Issue') AS labelled,
              (SELECT sum(opened + closed)::int FROM label_counts WHERE target_type = 'MergeRequest') AS "labelledRequests"
         FROM issues`,
    );
    for (const number of isSeedFixed() ? Object.values(counted!) : []) {
      expect(number).toBeGreaterThan(0);
    }
  });

  it('exclude the votes of an erased account', async () => {
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

  it('ignore the counts that an older version adds concurrently', async () => {
    await begin();
    await trellis.rows(
      `INSERT INTO issue_counts AS counts (project_id, opened, opened_confidential)
       VALUES ($1::int, 1, 0)
       ON CONFLICT (project_id) DO UPDATE SET opened = counts.opened + excluded.opened`,
      [home.id],
    );
    expect(await wrongOnes()).toEqual([]);
  });

  it('are counted by the migration that adds them', async () => {
    const [issue] = await begin();
    await trellis.as(people[0]!).post(`${issue!.path}/notes`).send({ body: 'A word' });
    await trellis.as(voter).post(`${issue!.path}/award_emoji`).send({ name: 'thumbsup' });
    await trellis.as(people[0]!).put(issue!.path).send({ labels: 'bug', state_event: 'close' });
    await undoMigrationsTo('KeptCounters');
    await trellis.dataSource.runMigrations();
    expect(await wrongOnes()).toEqual([]);
    const { body } = await trellis.as(people[0]!).get(issue!.path).expect(200);
    expect(body).toMatchObject({ user_notes_count: 1, upvotes: 1 });
    expect(await countsOf('bug')).toEqual([0, 1]);
  });

  it('of labels do not wait for locks, and are exact meanwhile', async () => {
    const [one, two] = await begin();
    const label = (target: Target) =>
      trellis.as(people[0]!).put(target.path).send({ labels: 'bug' });
    await label(one!).expect(200);
    const holder = trellis.dataSource.createQueryRunner();
    await holder.startTransaction();
    try {
      await holder.query('UPDATE label_counts SET opened = opened');
      await label(two!).expect(200);
      expect(await countsOf('bug')).toEqual([2, 0]);
      expect(await trellis.rows('SELECT opened FROM label_count_changes')).toEqual([{ opened: 1 }]);
    } finally {
      await holder.rollbackTransaction();
      await holder.release();
    }
    await trellis.as(people[0]!).put(one!.path).send({ state_event: 'close' }).expect(200);
    expect(await countsOf('bug')).toEqual([1, 1]);
    expect(await trellis.rows('SELECT opened FROM label_count_changes')).toEqual([]);
  });

  it('of labels do not deadlock when labels are used and deleted concurrently', async () => {
    const [one, two] = await begin();
    for (const { path } of [one!, two!]) {
      await trellis.as(people[0]!).put(path).send({ labels: 'ops' }).expect(200);
    }
    const close = ({ path }: Target) =>
      user.query(
        `UPDATE label_links SET state = 'closed' WHERE target_id = ${path.split('/').at(-1)!}`,
      );
    const user = trellis.dataSource.createQueryRunner();
    await user.startTransaction();
    try {
      // Sooner than PostgreSQL ends one of two that wait for each other.
      await user.query(`SET LOCAL lock_timeout = '500ms'`);
      await close(one!);
      const deletion = trellis
        .as(people[0]!)
        .delete(`${labelsOf(home)}?name=ops`)
        .expect(200);
      const [deleted] = await Promise.all([deletion, closeOther()]);
      expect(deleted.body).toMatchObject({ name: 'ops' });
    } finally {
      await user.release();
    }
    expect(await trellis.rows('SELECT name FROM labels WHERE project_id = $1', [home.id])).toEqual(
      [],
    );

    async function closeOther(): Promise<void> {
      await until(async () => (await countLockWaits(trellis)) > 0);
      await close(two!);
      await user.commitTransaction();
    }
  });

  it('of deleted labels are removed with their pending changes', async () => {
    const [issue] = await begin();
    await trellis.as(people[0]!).put(issue!.path).send({ labels: 'ops' }).expect(200);
    const [label] = await trellis.rows<{ id: number }>(
      'SELECT id FROM labels WHERE project_id = $1',
      [home.id],
    );
    await trellis.rows(
      `INSERT INTO label_count_changes (label_id, target_type, opened, opened_confidential, closed, closed_confidential)
       VALUES ($1, 'Issue', 1, 0, 0, 0)`,
      [label!.id],
    );
    await trellis
      .as(people[0]!)
      .delete(`${labelsOf(home)}?name=ops`)
      .expect(200);
    for (const table of ['label_counts', 'label_count_changes']) {
      expect(await trellis.rows(`SELECT 1 FROM ${table} WHERE label_id = $1`, [label!.id])).toEqual(
        [],
      );
    }
  });

  it('are verified and corrected by a job', async () => {
    const [issue] = await begin();
    await trellis.rows(
      'UPDATE issues SET upvotes = 7, user_notes_count = 3 WHERE project_id = $1',
      [home.id],
    );
    await trellis.rows('UPDATE merge_requests SET downvotes = 1 WHERE project_id = $1', [home.id]);
    await trellis.rows('UPDATE issue_counts SET closed = 9 WHERE project_id = $1', [home.id]);
    await trellis.rows('DELETE FROM merge_request_counts WHERE project_id = $1', [home.id]);
    await trellis.as(people[0]!).put(issue!.path).send({ labels: 'bug,ui' }).expect(200);
    await trellis.rows(
      `UPDATE label_counts SET opened = 5, closed_confidential = 2
        WHERE label_id IN (SELECT id FROM labels WHERE project_id = $1 AND name = 'bug')`,
      [home.id],
    );
    await trellis.rows(
      `DELETE FROM label_counts WHERE target_type = 'Issue' AND label_id IN
         (SELECT id FROM labels WHERE project_id = $1 AND name = 'ui')`,
      [home.id],
    );
    await trellis.app.get(VerifyCountersJob).handle({}, new AbortController());
    expect(await wrongOnes()).toEqual([]);
    const [row] = await trellis.rows('SELECT * FROM merge_request_counts WHERE project_id = $1', [
      home.id,
    ]);
    expect(row).toMatchObject({ opened: 1, closed: 1, merged: 1 });
    expect([await countsOf('bug'), await countsOf('ui')]).toEqual([
      [1, 0],
      [1, 0],
    ]);
  });

  /** Undoes all migrations from the one with that name on. */
  async function undoMigrationsTo(name: string): Promise<void> {
    const last = 'SELECT name FROM migrations ORDER BY id DESC LIMIT 1';
    for (let undone = ''; !undone.startsWith(name);) {
      const [row] = await trellis.rows<{ name: string }>(last);
      undone = row!.name;
      await trellis.dataSource.undoLastMigration();
    }
  }
});
