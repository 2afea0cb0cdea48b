import type { MadeProject, Person } from '../../support/factories.js';
import { type IssueBody, openIssue, pathOf, systemNotes } from '../../support/issues.js';
import { pathOf as requestPath } from '../../support/merge-requests.js';
import { type MergePlace, Merging, type RequestBody } from '../../support/merging.js';
import { memberOf } from '../../support/pushed-refs.js';
import { Trellis } from '../../support/trellis.js';
import { until } from '../../support/until.js';

jest.setTimeout(180_000);

describe('the issues that a merge request closes', () => {
  let trellis: Trellis;
  let merging: Merging;
  let place: MergePlace;

  beforeAll(async () => {
    trellis = await Trellis.shared({ runsJobs: true });
    merging = await Merging.begin(trellis);
    place = await merging.place();
  });
  afterAll(async () => {
    await merging.end();
    await trellis.restore();
  });

  const open = (by = place.owner, where: MadeProject = place.project, body = {}) =>
    openIssue(trellis, by, where, body);
  const numberOf = ({ iid }: IssueBody): string => `#${String(iid)}`;
  const stateOf = async (issue: IssueBody): Promise<string> => {
    const { body } = await trellis.as(place.owner).get(pathOf(issue)).expect(200);
    return (body as IssueBody).state;
  };
  const closed = async (request: RequestBody, by: Person = place.owner): Promise<number[]> => {
    const { body } = await trellis
      .as(by)
      .get(`${requestPath(request)}/closes_issues`)
      .expect(200);
    return (body as IssueBody[]).map(({ id }) => id);
  };
  /** Resolves when the jobs that follow from pushes are done. */
  const settled = () =>
    until(async () => {
      const jobs = await trellis.rows(
        `SELECT 1 FROM outbox WHERE queue IN ('issues', 'merge-requests') LIMIT 1`,
      );
      return jobs.length === 0;
    });

  it('are named by its description and its commits, and listed in pages', async () => {
    const [said, written, mentioned] = [await open(), await open(), await open()];
    const request = await place.propose({
      message: `Work\n\nFixes ${numberOf(written)}`,
      fields: { description: `Closes ${numberOf(said)}, see ${numberOf(mentioned)}` },
    });
    expect(await closed(request)).toEqual([said.id, written.id]);
    const path = `${requestPath(request)}/closes_issues`;
    const page = await trellis.as(place.owner).get(`${path}?per_page=1&page=2`).expect(200);
    expect(page.headers).toMatchObject({ 'x-total': '2', 'x-page': '2' });
    expect(page.body).toEqual([
      (await trellis.as(place.owner).get(pathOf(written)).expect(200)).body,
    ]);
    await trellis.anonymous.get(path).expect(401);
    const stranger = await trellis.factories.user();
    await trellis.as(stranger).get(path).expect(404);
    const guest = await memberOf(trellis, place.project, 10);
    await trellis.as(guest).get(path).expect(403);
    await trellis
      .as(place.owner)
      .get(path.replace(String(request.id), '0'))
      .expect(404);
  });

  it('are empty unless the target is the default branch', async () => {
    const issue = await open();
    await trellis
      .as(place.owner)
      .post(place.path('/repository/branches'), { branch_name: 'stable', ref: 'master' })
      .expect(200);
    const request = await place.propose({
      fields: { target_branch: 'stable', description: `Closes ${numberOf(issue)}` },
    });
    expect(await closed(request)).toEqual([]);
    await place.accept(request).expect(200);
    await settled();
    expect(await stateOf(issue)).toBe('opened');
    expect(await place.refs.git('log', '-1', '--format=%B', 'stable')).not.toContain('Closes');
  });

  it('are limited to issues that the reader may read', async () => {
    const secret = await open(place.owner, place.project, { confidential: true });
    const request = await place.propose({
      fields: { description: `Closes ${numberOf(secret)}` },
    });
    expect(await closed(request)).toEqual([secret.id]);
    const open20 = await merging.place({ visibilityLevel: 20 });
    const hidden = await open(open20.owner, open20.project, { confidential: true });
    const public20 = await open20.propose({
      fields: { description: `Closes ${numberOf(hidden)}` },
    });
    expect(await closed(public20, await trellis.factories.user())).toEqual([]);
  });

  it('are closed by the merge, as the merger, before the response', async () => {
    const [one, two] = [await open(), await open()];
    const request = await place.propose({
      message: `Work\n\nFixes ${numberOf(two)}`,
      fields: { description: `Closes ${numberOf(one)}` },
    });
    const merger = await memberOf(trellis, place.project, 40);
    await place.accept(request, {}, merger).expect(200);
    for (const issue of [one, two]) {
      expect(await stateOf(issue)).toBe('closed');
      expect(
        (await systemNotes(trellis, issue)).filter((text) => text.startsWith('closed')),
      ).toEqual([`closed via merge request !${String(request.iid)}`]);
    }
    expect(await place.refs.git('log', '-1', '--format=%B', 'master')).toContain(
      `\n\nCloses ${numberOf(one)} and ${numberOf(two)}\n\nSee merge request`,
    );
    await settled();
    const events = await trellis.rows(
      `SELECT author_id, target_id FROM events
        WHERE target_type = 'Issue' AND action = 'closed' AND target_id = ANY($1)`,
      [[one.id, two.id]],
    );
    expect(events).toHaveLength(2);
    expect(events).toContainEqual({ author_id: merger.user.id, target_id: one.id });
    expect(events).toContainEqual({ author_id: merger.user.id, target_id: two.id });
    expect(await trellis.rows('SELECT 1 FROM merge_attempts')).toEqual([]);
  });

  it('of other projects are closed where the merger may edit them', async () => {
    const foreign = await trellis.factories.project(await trellis.factories.user(), {
      visibilityLevel: 20,
    });
    const own = await open(place.owner, foreign);
    const others = await open(await trellis.factories.user(), foreign);
    const hidden = await trellis.factories.project(place.owner);
    const third = await open(place.owner, hidden);
    const named = [
      `${foreign.fullPath}${numberOf(own)}`,
      `${foreign.fullPath}${numberOf(others)}`,
      `${hidden.fullPath}${numberOf(third)}`,
    ];
    const request = await place.propose({ fields: { description: `Closes ${named.join(', ')}` } });
    await place.accept(request).expect(200);
    expect([await stateOf(own), await stateOf(others)]).toEqual(['closed', 'opened']);
    // A note in a public project does not name a private one.
    expect(await systemNotes(trellis, own)).toContain(
      `closed via merge request \\!${String(request.iid)}`,
    );
    expect(await systemNotes(trellis, third)).toContain(
      `closed via merge request ${place.project.path}!${String(request.iid)}`,
    );
    const said = await place.refs.git('log', '-1', '--format=%B', 'master');
    expect(said).toContain(`${foreign.fullPath}${numberOf(own)}`);
    await settled();
    expect(await stateOf(others)).toBe('opened');
  });

  it('stay open when they are reopened afterwards', async () => {
    const issue = await open();
    const request = await place.propose({
      fields: { description: `Closes ${numberOf(issue)}` },
    });
    await place.accept(request).expect(200);
    await settled();
    await trellis.as(place.owner).put(pathOf(issue), { state_event: 'reopen' }).expect(200);
    await place.commit('master');
    await settled();
    expect(await stateOf(issue)).toBe('opened');
  });

  it('are closed as well when a push merges it', async () => {
    const issue = await open();
    const request = await place.propose({
      fields: { description: `Closes ${numberOf(issue)}`, remove_source_branch: true },
    });
    const { work, owner, project } = place;
    await work.git('fetch', '--quiet', work.remote, 'master', request.source_branch);
    await work.git('reset', '--quiet', '--hard', (await place.master()) ?? '');
    await work.git('merge', '--quiet', '--no-ff', '--message', 'By hand', request.sha);
    expect((await work.push('HEAD:refs/heads/master')).code).toBe(0);
    expect(await place.read(request)).toMatchObject({ state: 'merged', merge_commit_sha: null });
    await settled();
    expect(await stateOf(issue)).toBe('closed');
    expect(await systemNotes(trellis, issue)).toContain(
      `closed via merge request !${String(request.iid)}`,
    );
    expect(await place.refs.target(`refs/heads/${request.source_branch}`)).toBe(request.sha);
    expect((await place.events(request)).at(-1)).toEqual({
      action: 'accepted',
      author_id: owner.user.id,
    });
    expect(project.id).toBe(request.project_id);
  });
});
