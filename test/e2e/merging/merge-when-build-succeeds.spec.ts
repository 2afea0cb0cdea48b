/** @redis */
import { type MergePlace, Merging, type RequestBody } from '../../support/merging.js';
import { memberOf } from '../../support/pushed-refs.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(180_000);

const CANCELED = 'canceled the automatic merge';

describe('merging when the build succeeds', () => {
  let trellis: Trellis;
  let merging: Merging;
  let place: MergePlace;

  beforeAll(async () => {
    trellis = await Trellis.start({ runsJobs: true });
    merging = await Merging.begin(trellis);
    place = await merging.place();
  });
  afterAll(async () => {
    await merging.end();
    await trellis.stop();
  });

  const enabled = ({ sha }: RequestBody) =>
    `enabled an automatic merge when the pipeline for ${sha} succeeds`;
  const merged = (request: RequestBody) => merging.merged(place, request);
  const settled = () => merging.settled();

  describe('is set', () => {
    it('for requests that pass the checks, and remembers by whom and how', async () => {
      const merger = await memberOf(trellis, place.project, 40);
      const request = await place.propose();
      await place.post(request, 'running').expect(200);
      const wish = { merge_commit_message: 'Later', should_remove_source_branch: true };
      const waiting = await place.wait(request, wish, merger);
      expect(waiting).toMatchObject({
        state: 'opened',
        merge_when_build_succeeds: true,
        should_remove_source_branch: true,
        merge_commit_sha: null,
      });
      expect(Date.parse(waiting.updated_at)).toBeGreaterThan(Date.parse(request.updated_at));
      expect(await place.row(request)).toMatchObject({
        merge_user_id: merger.user.id,
        merge_commit_message: 'Later',
      });
      expect(await place.notes(request)).toEqual([enabled(request)]);
      await place.post(request, 'success').expect(200);
      await merged(request);
      expect(await place.refs.git('log', '-1', '--format=%B|%an', 'master')).toBe(
        `Later|${merger.user.name}`,
      );
      await settled();
      expect(await place.refs.target(`refs/heads/${request.source_branch}`)).toBeNull();
      expect(await place.notes(request)).toContain('merged');
      expect((await place.events(request)).at(-1)).toEqual({
        action: 'accepted',
        author_id: merger.user.id,
      });
    });

    it('also where nobody has posted a status yet', async () => {
      const request = await place.propose();
      await place.wait(request);
      expect((await place.read(request)).state).toBe('opened');
      await place.post(request, 'success').expect(200);
      await merged(request);
    });

    it('not for what cannot be accepted', async () => {
      const wish = { merge_when_build_succeeds: true };
      const request = await place.propose({ fields: { title: 'WIP' } });
      await place.accept(request, wish).expect(200);
      await place.cancel(request).expect(200);
      await place.update(request, { title: 'WIP: not yet' }).expect(200);
      await place.accept(request, wish).expect(405, { message: '405 Method Not Allowed' });
      await place.accept(request, { ...wish, sha: place.head }).expect(409);
      const developer = await memberOf(trellis, place.project, 30);
      await place.accept(request, wish, developer).expect(401);
      const conflicting = await place.propose({ file: 'file.txt', content: 'theirs\n' });
      await place.commit('master', { file: 'file.txt', content: 'ours\n' });
      await place.accept(conflicting, wish).expect(405, { message: 'Branch cannot be merged' });
      await place.update(conflicting, { state_event: 'close' }).expect(200);
      await place.accept(conflicting, wish).expect(406, { message: 'Method Not Allowed' });
      expect(await place.notes(conflicting)).toEqual(['closed']);
    });

    it('and merges now when the build has succeeded', async () => {
      const request = await place.propose();
      await place.post(request, 'success').expect(200);
      const answer = await place.wait(request, { merge_commit_message: 'At once' });
      expect(answer).toMatchObject({ state: 'merged', merge_when_build_succeeds: false });
      expect(await place.notes(request)).toEqual(['merged']);
    });

    it('whatever the project wants of builds: that is what it waits for', async () => {
      const strict = await merging.place();
      await trellis
        .as(strict.owner)
        .put(strict.path(), { only_allow_merge_if_build_succeeds: true })
        .expect(200);
      const request = await strict.propose();
      await strict.post(request, 'running').expect(200);
      expect((await strict.wait(request)).merge_when_build_succeeds).toBe(true);
    });

    it('again with other terms, without a second note; without the wish it is merged', async () => {
      const other = await memberOf(trellis, place.project, 40);
      const request = await place.propose();
      await place.wait(request, { merge_commit_message: 'First' });
      await place.wait(request, { should_remove_source_branch: true }, other);
      expect(await place.row(request)).toMatchObject({
        merge_user_id: other.user.id,
        merge_commit_message: null,
        should_remove_source_branch: true,
      });
      expect(await place.notes(request)).toEqual([enabled(request)]);
      const answer = await place.accept(request, { merge_commit_message: 'Now' }).expect(200);
      expect(answer.body).toMatchObject({ state: 'merged', merge_when_build_succeeds: false });
      expect(await place.refs.git('log', '-1', '--format=%s|%an', 'master')).toBe(
        `Now|${place.owner.user.name}`,
      );
    });
  });

  describe('is cancelled', () => {
    it('with a note, and nothing is remembered', async () => {
      const request = await place.propose();
      await place.wait(request, {
        merge_commit_message: 'x',
        should_remove_source_branch: true,
      });
      const { body } = await place.cancel(request).expect(200);
      expect(body).toMatchObject({
        state: 'opened',
        merge_when_build_succeeds: false,
        should_remove_source_branch: false,
      });
      expect(await place.row(request)).toMatchObject({
        merge_user_id: null,
        merge_commit_message: null,
      });
      expect(await place.notes(request)).toEqual([enabled(request), CANCELED]);
      await place.post(request, 'success').expect(200);
      await settled();
      expect((await place.read(request)).state).toBe('opened');
    });

    it('by POST and by the singular path as well', async () => {
      const request = await place.propose();
      for (const kind of ['merge_requests', 'merge_request']) {
        await place.wait(request);
        await trellis
          .as(place.owner)
          .post(`${place.path(`/${kind}`)}/${String(request.id)}/cancel_merge_when_build_succeeds`)
          .expect(200);
      }
      await place.cancel(request).expect(406);
    });

    it('with 406 where it is not set, 405 where it is merged or closed', async () => {
      const request = await place.propose();
      await place.cancel(request).expect(406, { message: "Can't cancel the automatic merge" });
      await place.update(request, { state_event: 'close' }).expect(200);
      await place.cancel(request).expect(405, { message: '405 Method Not Allowed' });
      const done = await place.propose();
      await place.accept(done).expect(200);
      await place.cancel(done).expect(405, { message: '405 Method Not Allowed' });
      await place.cancel({ ...done, id: 0 }).expect(404, { message: '404 Not found' });
    });
  });

  describe('waits', () => {
    it('for all statuses of the head, on its branch', async () => {
      const request = await place.propose();
      await place.post(request, 'running', { name: 'one' }).expect(200);
      await place.post(request, 'pending', { name: 'two' }).expect(200);
      await place.wait(request);
      await place.post({ ...request, source_branch: 'master' }, 'success').expect(200);
      await place.post({ ...request, sha: place.head }, 'success').expect(200);
      await place.post(request, 'success', { name: 'one' }).expect(200);
      await settled();
      expect((await place.read(request)).state).toBe('opened');
      await place.post(request, 'success', { name: 'two' }).expect(200);
      await merged(request);
    });

    it('on after a failure or a cancellation, until it is made good', async () => {
      const request = await place.propose();
      await place.wait(request);
      for (const state of ['failed', 'canceled']) {
        await place.post(request, state).expect(200);
        await settled();
        expect(await place.read(request)).toMatchObject({
          state: 'opened',
          merge_when_build_succeeds: true,
        });
      }
      await place.post(request, 'success').expect(200);
      await merged(request);
    });

    it('on while a check fails, for the next success', async () => {
      const request = await place.propose();
      await place.wait(request);
      await place.update(request, { title: 'WIP: it' }).expect(200);
      await place.post(request, 'success').expect(200);
      await settled();
      expect(await place.read(request)).toMatchObject({
        state: 'opened',
        merge_when_build_succeeds: true,
      });
      await place.update(request, { title: 'It' }).expect(200);
      await settled();
      expect((await place.read(request)).state).toBe('opened');
      await place.post(request, 'success').expect(200);
      await merged(request);
    });

    it('on while there is a conflict', async () => {
      const own = await merging.place();
      const request = await own.propose({ file: 'file.txt', content: 'theirs\n' });
      await own.wait(request);
      const ours = await own.commit('master', { file: 'file.txt', content: 'ours\n' });
      await own.post(request, 'success').expect(200);
      await settled();
      expect(await own.read(request)).toMatchObject({
        state: 'opened',
        merge_when_build_succeeds: true,
        merge_status: 'cannot_be_merged',
      });
      expect(await own.master()).toBe(ours);
    });

    it('on when the target branch is edited', async () => {
      await trellis
        .as(place.owner)
        .post(place.path('/repository/branches'), { branch_name: 'stable', ref: 'master' })
        .expect(200);
      const request = await place.propose();
      await place.wait(request);
      await place.update(request, { target_branch: 'stable' }).expect(200);
      await place.post(request, 'success').expect(200);
      await merged(request);
      expect(await place.refs.git('log', '-1', '--format=%P', 'stable')).toContain(request.sha);
    });

    it('no longer after a push to the source branch, without a note', async () => {
      const request = await place.propose();
      await place.wait(request, { merge_commit_message: 'x', should_remove_source_branch: true });
      const sha = await place.commit(request.source_branch, {});
      expect(await place.read(request)).toMatchObject({
        sha,
        merge_when_build_succeeds: false,
        should_remove_source_branch: false,
      });
      expect(await place.row(request)).toMatchObject({ merge_commit_message: null });
      await place.post(request, 'success').expect(200);
      await place.post({ ...request, sha }, 'success').expect(200);
      await settled();
      expect((await place.read(request)).state).toBe('opened');
      expect(await place.notes(request)).not.toContain(CANCELED);
    });

    it('no longer after it was closed', async () => {
      const request = await place.propose();
      await place.wait(request, { should_remove_source_branch: true });
      await place.update(request, { state_event: 'close' }).expect(200);
      await place.update(request, { state_event: 'reopen' }).expect(200);
      expect(await place.read(request)).toMatchObject({
        state: 'reopened',
        merge_when_build_succeeds: false,
        should_remove_source_branch: false,
      });
      await place.post(request, 'success').expect(200);
      await settled();
      expect((await place.read(request)).state).toBe('reopened');
    });
  });
});
