import { pathOf } from '../../support/merge-requests.js';
import { type MergePlace, Merging } from '../../support/merging.js';
import { memberOf } from '../../support/pushed-refs.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

describe('accepting a merge request', () => {
  let trellis: Trellis;
  let merging: Merging;
  let place: MergePlace;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    merging = await Merging.begin(trellis);
    place = await merging.place();
  });
  afterAll(() => merging.end());

  it('removes the job that would finish the merge', async () => {
    const request = await place.propose();
    await place.accept(request).expect(200);
    const jobs = await trellis.rows(
      `SELECT 1 FROM outbox WHERE name = 'finish-merge' AND payload->>'mergeRequestId' = $1`,
      [String(request.id)],
    );
    expect(jobs).toEqual([]);
  });

  describe('is refused', () => {
    it('without a credential, a readable project, or the request', async () => {
      const request = await place.propose();
      const path = `${pathOf(request)}/merge`;
      await trellis.anonymous.put(path).expect(401);
      const stranger = await trellis.factories.user();
      await place.accept(request, {}, stranger).expect(404, { message: '404 Project Not Found' });
      for (const id of [0, 2_000_000_000]) {
        await place.accept({ ...request, id }).expect(404, { message: '404 Not found' });
      }
      const other = await merging.place();
      await other
        .accept({ ...request, project_id: other.project.id })
        .expect(404, { message: '404 Not found' });
    });

    it('with 400 for malformed parameters', async () => {
      const request = await place.propose();
      await place
        .accept(request, { should_remove_source_branch: 'perhaps' })
        .expect(400, { error: 'should_remove_source_branch is invalid' });
      await place
        .accept(request, { merge_when_build_succeeds: 'later' })
        .expect(400, { error: 'merge_when_build_succeeds is invalid' });
    });

    it('with 401 for users without push or merge rights, even when it is merged', async () => {
      const request = await place.propose();
      const reporter = await memberOf(trellis, place.project, 20);
      const guest = await memberOf(trellis, place.project, 10);
      const developer = await memberOf(trellis, place.project, 30);
      for (const person of [guest, reporter, developer]) {
        await place.accept(request, {}, person).expect(401, { message: '401 Unauthorized' });
      }
      await place.accept(request).expect(200);
      await place.accept(request, {}, developer).expect(401);
    });

    it('in an archived project with 401, for all roles', async () => {
      const quiet = await merging.place();
      const request = await quiet.propose();
      await trellis.as(quiet.owner).post(quiet.path('/archive')).expect(200);
      await quiet.accept(request).expect(401, { message: '401 Unauthorized' });
      await trellis.as(quiet.owner).post(quiet.path('/unarchive')).expect(200);
      await quiet.accept(request).expect(200);
    });

    it('with 403 where merge requests are disabled', async () => {
      const plain = await merging.place();
      const request = await plain.propose();
      await trellis.rows('UPDATE projects SET merge_requests_enabled = false WHERE id = $1', [
        plain.project.id,
      ]);
      await plain.accept(request).expect(403);
      await plain.cancel(request).expect(403);
    });

    it('with 406 when it is merged or closed', async () => {
      const merged = await place.propose();
      await place.accept(merged).expect(200);
      await place.accept(merged).expect(406, { message: 'Method Not Allowed' });
      const closed = await place.propose();
      await place.update(closed, { state_event: 'close' }).expect(200);
      await place.accept(closed, { sha: 'other' }).expect(406, { message: 'Method Not Allowed' });
      await place.update(closed, { state_event: 'reopen' }).expect(200);
      await place.accept(closed).expect(200);
    });

    it('with 409 when the head differs from the given SHA', async () => {
      const request = await place.propose({ fields: { title: 'WIP: later' } });
      const message = `SHA does not match HEAD of source branch: ${request.sha}`;
      for (const sha of [place.head, request.sha.slice(0, 12), '', request.sha.toUpperCase()]) {
        await place.accept(request, { sha }).expect(409, { message });
      }
      await place.update(request, { title: 'Now' }).expect(200);
      await place.accept(request, { sha: request.sha }).expect(200);
    });

    it('with 405 while the work is in progress', async () => {
      const request = await place.propose();
      for (const title of ['WIP: it', '[wip] it', 'wip it', ' [WIP] WIP: it']) {
        await place.update(request, { title }).expect(200);
        await place.accept(request).expect(405, { message: '405 Method Not Allowed' });
      }
      await place.update(request, { title: 'WIPE it' }).expect(200);
      await place.accept(request).expect(200);
    });

    it('with 405 when there is a conflict, nothing to merge, or a branch is missing', async () => {
      const sorry = { message: 'Branch cannot be merged' };
      const before = await place.master();
      const conflicting = await place.propose({ file: 'file.txt', content: 'theirs\n' });
      await place.commit('master', { file: 'file.txt', content: 'ours\n' });
      await place.accept(conflicting).expect(405, sorry);
      expect(await place.read(conflicting)).toMatchObject({
        state: 'opened',
        merge_status: 'cannot_be_merged',
        merge_commit_sha: null,
      });
      await trellis
        .as(place.owner)
        .post(place.path('/repository/branches'), { branch_name: 'nothing-new', ref: 'master' })
        .expect(200);
      await place.accept(await place.open('nothing-new')).expect(405, sorry);
      const orphan = await place.propose();
      await trellis
        .as(place.owner)
        .delete(place.path(`/repository/branches/${orphan.source_branch}`))
        .expect(200);
      await place.accept(orphan).expect(405, sorry);
      expect(await place.refs.git('rev-list', '--count', `${before ?? ''}..master`)).toBe('1');
    });

    it('until the build succeeds, where the project requires it', async () => {
      const strict = await merging.place();
      await trellis
        .as(strict.owner)
        .put(strict.path(), { only_allow_merge_if_build_succeeds: true })
        .expect(200);
      const request = await strict.propose();
      for (const state of ['pending', 'running', 'failed', 'canceled']) {
        await strict.post(request, state).expect(200);
        await strict.accept(request).expect(405, { message: '405 Method Not Allowed' });
      }
      await strict.post(request, 'success').expect(200);
      await strict.accept(request).expect(200);
      await strict.accept(await strict.propose()).expect(200);
    });

    it('not because of statuses of other commits, branches or projects', async () => {
      const strict = await merging.place();
      await trellis
        .as(strict.owner)
        .put(strict.path(), { only_allow_merge_if_build_succeeds: true })
        .expect(200);
      const request = await strict.propose();
      await strict.post({ ...request, sha: strict.head }, 'failed').expect(200);
      await strict.post({ ...request, source_branch: 'master' }, 'failed').expect(200);
      await strict.accept(request).expect(200);
    });
  });

  it('makes a merge commit of two parents, in the name of the caller', async () => {
    const own = await merging.place();
    const request = await own.propose({
      branch: 'feature/cache',
      fields: { title: 'Add a cache' },
    });
    const developer = await memberOf(trellis, own.project, 40);
    const before = await own.read(request);
    expect(before).toMatchObject({ state: 'opened', merge_commit_sha: null });
    const answer = await own.accept(request, {}, developer).expect(200);
    const sha = await own.master();
    expect(answer.body).toMatchObject({
      id: request.id,
      state: 'merged',
      merge_commit_sha: sha,
      sha: request.sha,
      merge_when_build_succeeds: false,
    });
    expect(await own.refs.git('log', '-1', '--format=%P', 'master')).toBe(
      `${own.head} ${request.sha}`,
    );
    const { name, email } = developer.user;
    expect(await own.refs.git('log', '-1', '--format=%an|%ae|%cn|%ce|%B', 'master')).toBe(
      `${name}|${email}|${name}|${email}|` +
        `Merge branch 'feature/cache' into 'master'\n\nAdd a cache\n\nSee merge request !${String(request.iid)}`,
    );
    expect(await own.refs.target('refs/heads/feature/cache')).toBe(request.sha);
    expect(await own.refs.lastEvent()).toMatchObject({
      action: 'pushed to',
      ref: 'refs/heads/master',
      before: own.head,
      after: sha,
      author: developer.user.id,
    });
    expect(await own.notes(request)).toContain('merged');
    expect((await own.events(request)).at(-1)).toEqual({
      action: 'accepted',
      author_id: developer.user.id,
    });
    await own.refs.expectSound();
  });

  it('reads the request only to check, lock, record and finish the merge', async () => {
    const own = await merging.place();
    const readings = async (request: Awaited<ReturnType<MergePlace['propose']>>, input = {}) => {
      // Reading it finds out whether it can be merged.
      await own.read(request);
      const ran = await trellis.statements.during(() => own.accept(request, input).expect(200));
      return ran.filter((sql) => /\bm\.title\b/.test(sql));
    };
    expect(await readings(await own.propose())).toHaveLength(4);
    const waiting = await own.propose();
    await own.post(waiting, 'pending').expect(200);
    expect(await readings(waiting, { merge_when_build_succeeds: true })).toHaveLength(2);
  });

  it('never fast-forwards the branch, and uses the message of the caller', async () => {
    const own = await merging.place();
    const request = await own.propose();
    const text = 'One\n\nTwo\n';
    await own.accept(request, { merge_commit_message: text }).expect(200);
    expect(await own.refs.git('log', '-1', '--format=%B|%P', 'master')).toBe(
      `One\n\nTwo\n|${own.head} ${request.sha}`,
    );
    const blank = await own.propose();
    await own.accept(blank, { merge_commit_message: '  ' }).expect(200);
    expect(await own.refs.git('log', '-1', '--format=%s', 'master')).toBe(
      `Merge branch '${blank.source_branch}' into 'master'`,
    );
  });

  it('finishes the todos of the caller only', async () => {
    const other = await memberOf(trellis, place.project, 40);
    const request = await place.propose();
    for (const person of [place.owner, other]) {
      await trellis
        .as(person)
        .post(`${pathOf(request)}/todo`)
        .expect(200);
    }
    await place.accept(request, {}, other).expect(200);
    expect((await place.todos(request)).map(({ user_id, state }) => [user_id, state])).toEqual([
      [place.owner.user.id, 'pending'],
      [other.user.id, 'done'],
    ]);
  });

  it('is also served under the singular path', async () => {
    const request = await place.propose();
    const { body } = await trellis
      .as(place.owner)
      .put(`${place.path('/merge_request')}/${String(request.id)}/merge`)
      .expect(200);
    expect(body).toMatchObject({ id: request.id, state: 'merged' });
  });
});
