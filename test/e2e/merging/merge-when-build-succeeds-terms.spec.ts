import { type MergePlace, Merging, type RequestBody } from '../../support/merging.js';
import { memberOf } from '../../support/pushed-refs.js';
import { Trellis } from '../../support/trellis.js';

describe('a request to merge when the build succeeds', () => {
  let trellis: Trellis;
  let merging: Merging;
  let place: MergePlace;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    merging = await Merging.begin(trellis);
    place = await merging.place();
  });
  afterAll(() => merging.end());

  const enabled = ({ sha }: RequestBody) =>
    `enabled an automatic merge when the pipeline for ${sha} succeeds`;

  it('is refused where the merge request cannot be accepted', async () => {
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

  it('merges at once after a successful build', async () => {
    const request = await place.propose();
    await place.post(request, 'success').expect(200);
    const answer = await place.wait(request, { merge_commit_message: 'At once' });
    expect(answer).toMatchObject({ state: 'merged', merge_when_build_succeeds: false });
    expect(await place.notes(request)).toEqual(['merged']);
  });

  it('waits for the build where the project requires builds, too', async () => {
    const strict = await merging.place();
    await trellis
      .as(strict.owner)
      .put(strict.path(), { only_allow_merge_if_build_succeeds: true })
      .expect(200);
    const request = await strict.propose();
    await strict.post(request, 'running').expect(200);
    expect((await strict.wait(request)).merge_when_build_succeeds).toBe(true);
  });

  it('replaces an earlier one without a second note, and only one merges', async () => {
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

  it('is canceled by POST and by the singular path as well', async () => {
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

  it('returns 406 for a cancellation where it is not set, 405 where it is merged or closed', async () => {
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
