import type { MadeProject, Person } from '../../support/factories.js';
import { Forks } from '../../support/forks.js';
import { openIssue, pathOf } from '../../support/issues.js';
import { pathOf as requestPathOf } from '../../support/merge-requests.js';
import { MergePlace, Merging, type RequestBody } from '../../support/merging.js';
import { memberOf, PushedRefs } from '../../support/pushed-refs.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(180_000);

describe('accepting a merge request from a fork', () => {
  let trellis: Trellis;
  let merging: Merging;
  let forks: Forks;
  let place: MergePlace;
  let author: Person;
  let fork: MadeProject;
  let forked: MergePlace;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    merging = await Merging.begin(trellis);
    forks = new Forks(trellis);
    place = await merging.place();
    await makeFork();
  });
  afterAll(() => merging.end());

  async function makeFork(): Promise<void> {
    author = await memberOf(trellis, place.project, 20);
    fork = await forks.make(author, place.project);
    await forks.copy(fork, place.project);
    const work = await merging.checkout(fork, author);
    forked = new MergePlace(trellis, author, fork, work, place.head);
  }

  const propose = (fields: object = {}): Promise<RequestBody> =>
    forked.propose({ by: author, fields: { target_project_id: place.project.id, ...fields } });
  const branchOf = ({ source_branch }: RequestBody) =>
    new PushedRefs(trellis, fork).target(`refs/heads/${source_branch}`);

  it('merges its commits into the origin of the fork', async () => {
    const before = await place.master();
    const request = await propose();
    expect(request).toMatchObject({ project_id: place.project.id, source_project_id: fork.id });
    await place.accept(request, {}, author).expect(401);
    const { body } = await place.accept(request).expect(200);
    expect(body).toMatchObject({ state: 'merged', merge_commit_sha: await place.master() });
    expect(await place.refs.git('log', '-1', '--format=%P', 'master')).toBe(
      `${before} ${request.sha}`,
    );
    await place.refs.expectSound();
    await forked.refs.expectSound();
  });

  it('fast-forwards the origin to its commits', async () => {
    const own = { merge_method: 'ff' };
    await trellis.as(place.owner).v4.put(place.path(), own).expect(200);
    try {
      const origin = await merging.checkout(place.project, author);
      await forked.work.git('fetch', origin.remote, 'master');
      await forked.work.git('push', forked.work.remote, 'FETCH_HEAD:refs/heads/ahead');
      const request = await propose({});
      await place.accept(request).expect(405);
      const based = await forked.propose({
        branch: 'ahead',
        by: author,
        fields: { target_project_id: place.project.id },
      });
      const { body } = await place.accept(based).expect(200);
      expect(body).toMatchObject({ state: 'merged', merge_commit_sha: null });
      expect(await place.master()).toBe(based.sha);
      await place.refs.expectSound();
    } finally {
      await trellis.as(place.owner).v4.put(place.path(), { merge_method: 'merge' }).expect(200);
    }
  });

  it('removes the branch of the fork for the author, not for a merger without rights there', async () => {
    const kept = await propose();
    await place.accept(kept, { should_remove_source_branch: true }).expect(200);
    expect(await branchOf(kept)).toBe(kept.sha);
    const removed = await propose({ remove_source_branch: true });
    await place.accept(removed).expect(200);
    expect(await branchOf(removed)).toBeNull();
    expect(await forked.refs.lastEvent()).toMatchObject({
      action: 'deleted',
      author: author.user.id,
    });
  });

  it('keeps the branch of the fork where a member of the target project asks for its removal', async () => {
    const request = await propose();
    const { body } = await trellis
      .as(place.owner)
      .put(requestPathOf(request), { remove_source_branch: true, title: 'Another title' })
      .expect(200);
    expect(body).toMatchObject({ title: 'Another title', force_remove_source_branch: false });
    await place.accept(request).expect(200);
    expect(await branchOf(request)).toBe(request.sha);
    expect((await forked.refs.lastEvent())?.action).not.toBe('deleted');
  });

  it('removes the branch of the fork unless a member of the target project withdraws the removal', async () => {
    const request = await propose({ remove_source_branch: true });
    await trellis
      .as(place.owner)
      .put(requestPathOf(request), { remove_source_branch: true })
      .expect(200);
    const kept = await propose({ remove_source_branch: true });
    await trellis
      .as(place.owner)
      .put(requestPathOf(kept), { remove_source_branch: false })
      .expect(200);
    for (const accepted of [request, kept]) await place.accept(accepted).expect(200);
    expect(await branchOf(request)).toBeNull();
    expect(await branchOf(kept)).toBe(kept.sha);
  });

  it('waits for the statuses of the head in the fork', async () => {
    await trellis
      .as(place.owner)
      .put(place.path(), { name: place.project.path, only_allow_merge_if_build_succeeds: true })
      .expect(200);
    const request = await propose();
    await forked.post(request, 'failed', { by: author }).expect(200);
    await place.accept(request).expect(405);
    await place.wait(request);
    await forked.post(request, 'success', { by: author }).expect(200);
    const jobs = await trellis.rows(
      `SELECT payload FROM outbox
        WHERE name = 'merge-when-build-succeeds' AND payload->>'mergeRequestId' = $1`,
      [request.id],
    );
    expect(jobs).toEqual([{ payload: { mergeRequestId: request.id } }]);
    await place.accept(request).expect(200);
    await trellis
      .as(place.owner)
      .put(place.path(), { name: place.project.path, only_allow_merge_if_build_succeeds: false })
      .expect(200);
  });

  it('closes issues of the target project only', async () => {
    const issue = await openIssue(trellis, place.owner, place.project);
    const description = `Closes ${place.project.fullPath}#${String(issue.iid)}`;
    const within = await forked.propose({ by: author, fields: { description } });
    await forked.accept(within, {}, author).expect(200);
    const read = async () => {
      const { body } = await trellis.as(place.owner).get(pathOf(issue)).expect(200);
      return (body as { state: string }).state;
    };
    expect(await read()).toBe('opened');
    const request = await propose({ description: `Closes #${String(issue.iid)}` });
    await place.accept(request).expect(200);
    expect(await read()).toBe('closed');
  });

  it('is refused after deletion of the fork or its branch', async () => {
    const before = await place.master();
    const request = await propose();
    await trellis
      .as(author)
      .delete(`${forked.path('/repository/branches')}/${request.source_branch}`)
      .expect(200);
    await place.accept(request).expect(405, { message: 'Branch cannot be merged' });
    const other = await propose();
    await trellis.as(author).delete(forked.path()).expect(200);
    const { status } = await place.accept(other);
    expect([405, 406]).toContain(status);
    expect(await place.master()).toBe(before);
  });

  it('succeeds when the fork is removed during the merge', async () => {
    await makeFork();
    const request = await propose();
    await place.accept(request).expect(200);
    await trellis.as(author).delete(forked.path()).expect(200);
    await forks.purge(fork);
    expect(await place.read(request)).toMatchObject({ state: 'merged', sha: request.sha });
    await place.refs.expectSound();
  });
});
