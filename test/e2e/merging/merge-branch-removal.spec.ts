import type { Person } from '../../support/factories.js';
import { type MergePlace, Merging, type RequestBody } from '../../support/merging.js';
import { memberOf } from '../../support/pushed-refs.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

describe('the source branch of an accepted merge request', () => {
  let trellis: Trellis;
  let merging: Merging;
  let place: MergePlace;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    merging = await Merging.begin(trellis);
    place = await merging.place();
  });
  afterAll(() => merging.end());

  const REMOVE = { should_remove_source_branch: true };
  const branchOf = ({ source_branch }: RequestBody) =>
    place.refs.target(`refs/heads/${source_branch}`);
  const attempts = ({ id }: RequestBody) =>
    trellis.rows('SELECT 1 FROM merge_attempts WHERE merge_request_id = $1', [id]);

  it('is kept by default', async () => {
    const request = await place.propose();
    await place.accept(request, { should_remove_source_branch: false }).expect(200);
    expect(await branchOf(request)).toBe(request.sha);
    expect(await attempts(request)).toEqual([]);
  });

  it('is removed on request of the merger, with a push event of the merger', async () => {
    const request = await place.propose();
    const master = await memberOf(trellis, place.project, 40);
    await place.accept(request, REMOVE, master).expect(200);
    expect(await branchOf(request)).toBeNull();
    expect(await place.refs.lastEvent()).toEqual({
      action: 'deleted',
      ref: `refs/heads/${request.source_branch}`,
      before: request.sha,
      after: '0'.repeat(40),
      author: master.user.id,
    });
    expect(await attempts(request)).toEqual([]);
    await place.refs.expectSound();
  });

  it('is removed with a push event of the author where the merge request asks for it', async () => {
    const author = await memberOf(trellis, place.project, 30);
    const request = await place.propose({ by: author, fields: { remove_source_branch: true } });
    await place.accept(request).expect(200);
    expect(await branchOf(request)).toBeNull();
    expect(await place.refs.lastEvent()).toMatchObject({ author: author.user.id });
  });

  describe('is kept', () => {
    const expectKept = async (
      request: RequestBody,
      { body = REMOVE, by = place.owner }: { body?: object; by?: Person } = {},
    ) => {
      await place.accept(request, body, by).expect(200);
      expect((await place.read(request)).state).toBe('merged');
      expect(await branchOf(request)).not.toBeNull();
      expect(await attempts(request)).toEqual([]);
    };

    it('when it is protected', async () => {
      const request = await place.propose();
      await trellis
        .as(place.owner)
        .put(place.path(`/repository/branches/${request.source_branch}/protect`))
        .expect(200);
      await expectKept(request);
    });

    it('when it is the default branch', async () => {
      await trellis
        .as(place.owner)
        .post(place.path('/repository/branches'), { branch_name: 'stable', ref: 'master' })
        .expect(200);
      await place.commit('master');
      await trellis.rows('DELETE FROM protected_branches WHERE project_id = $1', [
        place.project.id,
      ]);
      await expectKept(await place.open('master', { fields: { target_branch: 'stable' } }));
    });

    it('when the author of the removal was blocked or has left the project', async () => {
      const author = await memberOf(trellis, place.project, 30);
      const request = await place.propose({ by: author, fields: { remove_source_branch: true } });
      await trellis.rows('DELETE FROM project_members WHERE user_id = $1', [author.user.id]);
      await expectKept(request, { body: {} });
      const blocked = await memberOf(trellis, place.project, 30);
      const other = await place.propose({ by: blocked, fields: { remove_source_branch: true } });
      await trellis.rows(`UPDATE users SET state = 'blocked' WHERE id = $1`, [blocked.user.id]);
      await expectKept(other, { body: {} });
    });
  });
});
