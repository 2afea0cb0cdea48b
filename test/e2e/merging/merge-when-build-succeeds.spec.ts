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
    trellis = await Trellis.shared({ runsJobs: true });
    merging = await Merging.begin(trellis);
    place = await merging.place();
  });
  afterAll(async () => {
    await merging.end();
    await trellis.restore();
  });

  const enabled = ({ sha }: RequestBody) =>
    `enabled an automatic merge when the pipeline for ${sha} succeeds`;
  const merged = (request: RequestBody) => merging.merged(place, request);
  const settled = () => merging.settled();

  describe('is set', () => {
    it('for requests that pass the checks, with merger and options', async () => {
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

    it('until it is canceled, with a note, which clears merger and options', async () => {
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

    it('for requests whose build has no status yet', async () => {
      const request = await place.propose();
      await place.wait(request);
      expect((await place.read(request)).state).toBe('opened');
      await place.post(request, 'success').expect(200);
      await merged(request);
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

    it('after a failure or a cancellation, until a success', async () => {
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

    it('for the next success while a check fails', async () => {
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

    it('while there is a conflict', async () => {
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

    it('only until the target branch is edited, since who may merge there may be another', async () => {
      await trellis
        .as(place.owner)
        .post(place.path('/repository/branches'), { branch_name: 'stable', ref: 'master' })
        .expect(200);
      const request = await place.propose();
      await place.wait(request);
      await place.update(request, { target_branch: 'stable' }).expect(200);
      await place.post(request, 'success').expect(200);
      await settled();
      expect(await place.read(request)).toMatchObject({
        state: 'opened',
        target_branch: 'stable',
        merge_when_build_succeeds: false,
      });
      expect(await place.refs.git('log', '--format=%H', 'stable')).not.toContain(request.sha);
    });

    it('only until a push to the source branch, without a note', async () => {
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

    it('only until it is closed', async () => {
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
