import type { Checkout } from '../../support/checkout.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { type IssueBody, openIssue, systemNotes } from '../../support/issues.js';
import {
  openMergeRequest,
  systemNotes as notesOnRequest,
  type MergeRequestBody,
} from '../../support/merge-requests.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { countLockWaits } from '../../support/table-lock.js';
import { Trellis } from '../../support/trellis.js';
import { until } from '../../support/until.js';

jest.setTimeout(120_000);

describe('a commit that is pushed to a project and to its fork', () => {
  let trellis: Trellis;
  let owner: Person;
  let pushed: PushedProjects;
  let source: MadeProject;
  let fork: MadeProject;
  let work: Checkout;
  let remotes: { source: string; fork: string };
  let issue: IssueBody;
  let request: MergeRequestBody;

  beforeAll(async () => {
    trellis = await Trellis.start({ runsJobs: true });
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    pushed = new PushedProjects(trellis, owner);
    ({ project: source, work } = await pushed.make());
    fork = await trellis.factories.project(owner);
    const path = `/projects/${String(fork.id)}/fork/${String(source.id)}`;
    await trellis
      .as(await trellis.factories.admin())
      .post(path)
      .expect(200);
    remotes = { source: work.remote, fork: (await pushed.checkout(fork, owner)).remote };
    await push('fork', 'master');
  });
  beforeEach(async () => {
    issue = await openIssue(trellis, owner, source);
    await work.commit();
    const branch = `topic-${String(issue.iid)}`;
    await push('source', branch);
    request = await openMergeRequest(trellis, owner, source, { source_branch: branch });
  });
  afterAll(async () => {
    await pushed.remove();
    await trellis.stop();
  });

  const push = async (to: keyof typeof remotes, branch: string): Promise<void> => {
    const { code, stderr } = await work.try('push', remotes[to], `HEAD:refs/heads/${branch}`);
    if (code !== 0) throw new Error(stderr);
  };
  const commit = (): Promise<string> =>
    work.commit(
      `See ${source.fullPath}#${String(issue.iid)} and ${source.fullPath}!${String(request.iid)}`,
    );
  /** Resolves when everything that follows from pushes is done. */
  const settled = () =>
    until(async () => {
      const jobs = await trellis.rows(`SELECT FROM outbox WHERE queue = 'issues' LIMIT 1`);
      return jobs.length === 0;
    });
  const mentions = async (): Promise<string[]> =>
    [...(await systemNotes(trellis, issue)), ...(await notesOnRequest(trellis, request))].filter(
      (text) => text.startsWith('mentioned in commit'),
    );

  const updatedAt = () => trellis.rows('SELECT updated_at FROM issues WHERE id = $1', [issue.id]);

  it.each([
    ['source', 'fork'],
    ['fork', 'source'],
  ] as const)('is mentioned once when the %s gets it before the %s', async (first, second) => {
    const sha = await commit();
    await push(first, `first-${String(issue.iid)}`);
    await settled();
    const text = `mentioned in commit ${first === 'fork' ? `${fork.path}@` : ''}${sha}`;
    expect(await mentions()).toEqual([text, text]);
    const before = await updatedAt();
    await push(second, `second-${String(issue.iid)}`);
    await settled();
    expect(await mentions()).toEqual([text, text]);
    expect(await updatedAt()).toEqual(before);
  });

  it('is mentioned once when both get it at the same time', async () => {
    await commit();
    const runner = trellis.dataSource.createQueryRunner();
    await runner.startTransaction();
    await runner.query('SELECT FROM issues WHERE id = $1 FOR NO KEY UPDATE', [issue.id]);
    await Promise.all([push('source', 'both'), push('fork', 'both')]);
    await until(async () => (await countLockWaits(trellis)) >= 2);
    await runner.rollbackTransaction();
    await runner.release();
    await settled();
    expect(await mentions()).toHaveLength(2);
  });
});
