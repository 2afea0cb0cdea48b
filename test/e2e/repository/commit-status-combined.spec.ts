import { CombinedStatuses } from '../../../src/modules/repository/index.js';
import { CommitStatusesRepository } from '../../../src/modules/repository/commits/statuses/commit-statuses.repository.js';
import {
  combineWith,
  isUnfinished,
  STATUS_STATES,
} from '../../../src/modules/repository/commits/statuses/status.rules.js';
import { numberedMessages } from '../../support/checkout.js';
import type { Person } from '../../support/factories.js';
import { seedOf } from '../../support/lengths.js';
import { type PushedProject, PushedProjects } from '../../support/pushed-projects.js';
import { Trellis } from '../../support/trellis.js';
import { numbers, pickFrom } from '../../unit/git/support/odd-history.js';

jest.setTimeout(120_000);

interface CommitBody {
  id: string;
  status: string | null;
}

/** Statuses of one commit, by ref and name, in the order they are posted in. */
type Posts = readonly (readonly [ref: string, name: string, state: string])[];

const TABLE: readonly (readonly [title: string, expected: string | null, posts: Posts])[] = [
  ['nothing', null, []],
  ['one success', 'success', [['a', 'x', 'success']]],
  [
    'successes of several names',
    'success',
    [
      ['a', 'x', 'success'],
      ['a', 'y', 'success'],
    ],
  ],
  ['one canceled', 'canceled', [['a', 'x', 'canceled']]],
  [
    'success and canceled',
    'canceled',
    [
      ['a', 'x', 'success'],
      ['a', 'y', 'canceled'],
    ],
  ],
  [
    'pending only',
    'pending',
    [
      ['a', 'x', 'pending'],
      ['a', 'y', 'pending'],
    ],
  ],
  ['one running', 'running', [['a', 'x', 'running']]],
  [
    'pending beside success',
    'running',
    [
      ['a', 'x', 'pending'],
      ['a', 'y', 'success'],
    ],
  ],
  [
    'pending beside canceled',
    'running',
    [
      ['a', 'x', 'pending'],
      ['a', 'y', 'canceled'],
    ],
  ],
  [
    'running beside failed',
    'running',
    [
      ['a', 'x', 'running'],
      ['a', 'y', 'failed'],
    ],
  ],
  [
    'failed beside success',
    'failed',
    [
      ['a', 'x', 'failed'],
      ['a', 'y', 'success'],
    ],
  ],
  [
    'failed beside canceled',
    'failed',
    [
      ['a', 'x', 'failed'],
      ['a', 'y', 'canceled'],
    ],
  ],
  [
    'a failure made good',
    'success',
    [
      ['a', 'x', 'failed'],
      ['a', 'x', 'success'],
    ],
  ],
  [
    'a success gone bad',
    'failed',
    [
      ['a', 'x', 'success'],
      ['a', 'x', 'failed'],
    ],
  ],
  [
    'a finished one posted anew',
    'pending',
    [
      ['a', 'x', 'success'],
      ['a', 'x', 'pending'],
    ],
  ],
  [
    'refs that succeed',
    'success',
    [
      ['a', 'x', 'success'],
      ['b', 'x', 'success'],
    ],
  ],
  [
    'a ref that fails',
    'failed',
    [
      ['a', 'x', 'success'],
      ['b', 'x', 'failed'],
    ],
  ],
  [
    'a ref at work',
    'running',
    [
      ['a', 'x', 'success'],
      ['b', 'x', 'running'],
    ],
  ],
  [
    'refs that wait',
    'pending',
    [
      ['a', 'x', 'pending'],
      ['b', 'x', 'pending'],
    ],
  ],
  [
    'a ref that waits',
    'running',
    [
      ['a', 'x', 'success'],
      ['b', 'x', 'pending'],
    ],
  ],
  [
    'a ref that is canceled',
    'canceled',
    [
      ['a', 'x', 'success'],
      ['b', 'x', 'canceled'],
    ],
  ],
  // The pipeline of `a` comes to canceled, and with the failed one of `b` to failed.
  [
    'a canceled ref and a failed one',
    'failed',
    [
      ['a', 'x', 'success'],
      ['a', 'y', 'canceled'],
      ['b', 'x', 'failed'],
    ],
  ],
];

const INSERT = `
  INSERT INTO commit_statuses (project_id, sha, ref, name, status, allow_failure, author_id)
  VALUES ($1, $2, $3, $4, $5, $6, $7)`;

/** Changes the unfinished status of the name. */
const UPDATE = `
  UPDATE commit_statuses SET status = $5, allow_failure = $6, author_id = $7
   WHERE project_id = $1 AND sha = $2 AND ref = $3 AND name = $4 AND status IN ('pending', 'running')`;

const seed = seedOf(5);

describe('the combined status of commits', () => {
  let trellis: Trellis;
  let owner: Person;
  let projects: PushedProjects;
  let made: PushedProject;
  let base: string;
  /** Those that no test has taken yet, the oldest first. */
  let commits: string[];

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    projects = new PushedProjects(trellis, owner);
    made = await projects.make();
    base = `/projects/${String(made.project.id)}`;
    commits = await made.work.commitAll(numberedMessages(TABLE.length + 6));
    expect((await made.work.push('HEAD:refs/heads/master')).code).toBe(0);
  });
  afterAll(() => projects.remove());

  const takeCommit = (): string => {
    const sha = commits.shift();
    if (sha === undefined) throw new Error('Every commit is in use');
    return sha;
  };
  const post = (sha: string, ref: string, name: string, state: string) =>
    trellis.as(owner).post(`${base}/statuses/${sha}`, { ref, name, state }).expect(200);
  const single = async (sha: string) => {
    const { body } = await trellis.as(owner).get(`${base}/repository/commits/${sha}`).expect(200);
    return (body as CommitBody).status;
  };
  const listed = async (query: string) => {
    const { body } = await trellis.as(owner).get(`${base}/repository/commits${query}`).expect(200);
    return (body as CommitBody[]).map(({ id, status }) => [id, status]);
  };

  it.each(TABLE)('of %s is %s', async (_, expected, posts) => {
    const sha = takeCommit();
    for (const [ref, name, state] of posts) await post(sha, ref, name, state);
    expect(await single(sha)).toBe(expected);
    expect(await listed(`?per_page=1&ref_name=${sha}`)).toEqual([[sha, expected]]);
  });

  it('ignores failures that are allowed', async () => {
    const sha = takeCommit();
    const put = (name: string, state: string, allowFailure: boolean) =>
      trellis.rows(
        `INSERT INTO commit_statuses (project_id, sha, ref, name, status, allow_failure, author_id)
         VALUES ($1, $2, 'master', $3, $4, $5, $6)`,
        [made.project.id, sha, name, state, allowFailure, owner.user.id],
      );
    await put('lint', 'failed', true);
    expect(await single(sha)).toBe('skipped');
    await put('lint2', 'canceled', true);
    expect(await single(sha)).toBe('skipped');
    await put('unit', 'success', false);
    expect(await single(sha)).toBe('success');
    await put('slow', 'running', true);
    expect(await single(sha)).toBe('running');
    await put('slow', 'failed', false);
    expect(await single(sha)).toBe('failed');
  });

  it(`is the same before and after a status, computed beside it or read (seed ${seed})`, async () => {
    const statuses = trellis.app.get(CommitStatusesRepository, { strict: false });
    const combined = trellis.app.get(CombinedStatuses, { strict: false });
    const random = numbers(seed);
    const pipeline = { projectId: made.project.id, sha: takeCommit(), ref: 'master' };
    for (let round = 0; round < 60; round += 1) {
      const key = { ...pipeline, name: pickFrom(['x', 'y', 'z'], random) };
      const { own, others } = await statuses.findPipeline(key, 10_000);
      expect(combineWith(others, own)).toBe(await combined.ofPipeline(pipeline));
      const after = { status: pickFrom(STATUS_STATES, random), allowFailure: random(3) === 0 };
      await trellis.rows(own !== null && isUnfinished(own.status) ? UPDATE : INSERT, [
        ...[key.projectId, key.sha, key.ref, key.name],
        ...[after.status, after.allowFailure, owner.user.id],
      ]);
      expect(combineWith(others, after)).toBe(await combined.ofPipeline(pipeline));
    }
  });

  it('is shown for each commit of a list and of a comparison', async () => {
    const first = takeCommit();
    const second = takeCommit();
    const third = takeCommit();
    await post(first, 'master', 'x', 'failed');
    await post(third, 'master', 'x', 'success');
    expect(await listed(`?per_page=3&ref_name=${third}`)).toEqual([
      [third, 'success'],
      [second, null],
      [first, 'failed'],
    ]);
    const { body } = await trellis
      .as(owner)
      .get(`${base}/repository/compare?from=${first}&to=${third}`)
      .expect(200);
    const { commits: shown, commit: last } = body as { commits: CommitBody[]; commit: CommitBody };
    expect(shown.map(({ status }) => status)).toEqual([null, 'success']);
    expect(last.status).toBe('success');
  });

  it('is separate for each project', async () => {
    const sha = takeCommit();
    await post(sha, 'master', 'x', 'failed');
    const other = await projects.make();
    await made.work.git('push', '--quiet', other.work.remote, `${sha}:refs/heads/same`);
    const address = `/projects/${String(other.project.id)}/repository/commits/${sha}`;
    const { body } = await trellis.as(owner).get(address).expect(200);
    expect((body as CommitBody).status).toBeNull();
  });

  it('takes one statement for any number of commits and statuses', async () => {
    await made.work.commitAll(numberedMessages(12));
    await made.work.push('HEAD:refs/heads/master');
    const shas = (await made.work.git('rev-list', '--max-count=12', 'master')).split('\n');
    const count = async (size: number) =>
      (
        await trellis.statements.during(() =>
          trellis
            .as(owner)
            .get(`${base}/repository/commits?per_page=${String(size)}`)
            .expect(200),
        )
      ).length;
    const one = await count(1);
    await trellis.rows(
      `INSERT INTO commit_statuses (project_id, sha, ref, name, status, author_id)
       SELECT $1, sha, 'r' || n % 7, 'n' || n, 'success', $3
         FROM unnest($2::text[]) AS sha, generate_series(1, 50) AS n`,
      [made.project.id, shas, owner.user.id],
    );
    expect((await listed('?per_page=12')).map(([, status]) => status)).toEqual(
      shas.map(() => 'success'),
    );
    expect(await count(12)).toBe(one);
    expect(one).toBeLessThanOrEqual(12);
  });
});
