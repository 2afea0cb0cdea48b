import { type MergePlace, Merging, type RequestBody } from '../../support/merging.js';
import { memberOf } from '../../support/pushed-refs.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(180_000);

const CANCELED = 'canceled the automatic merge';

describe('a merge request that waits for its build', () => {
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

  const mergesOf = async ({ sha }: RequestBody): Promise<number> => {
    const lines = (await place.refs.git('log', '--merges', '--format=%P', 'master')).split('\n');
    return lines.filter((line) => line.endsWith(` ${sha}`)).length;
  };

  describe('as a merger who', () => {
    const lost = [
      ['is blocked', `UPDATE users SET state = 'blocked' WHERE id = $1`],
      ['is no member any more', 'DELETE FROM project_members WHERE user_id = $1'],
      ['may not merge any more', 'UPDATE project_members SET access_level = 30 WHERE user_id = $1'],
    ] as const;

    it.each(lost)('%s is canceled, with a note', async (_, sql) => {
      const merger = await memberOf(trellis, place.project, 40);
      const request = await place.propose();
      await place.wait(request, {}, merger);
      await trellis.rows(sql, [merger.user.id]);
      await place.post(request, 'success').expect(200);
      await settled();
      expect(await place.read(request)).toMatchObject({
        state: 'opened',
        merge_when_build_succeeds: false,
      });
      expect(await place.notes(request)).toEqual([enabled(request), CANCELED]);
    });
  });

  describe('is merged once', () => {
    it('for bursts and repetitions of the same success', async () => {
      const request = await place.propose();
      const names = Array.from({ length: 6 }, (_, index) => `job-${String(index)}`);
      for (const name of names) await place.post(request, 'running', { name }).expect(200);
      await place.wait(request);
      const posts = [...names, ...names, ...names];
      await Promise.all(posts.map((name) => place.post(request, 'success', { name })));
      await merged(request);
      await settled();
      expect(await mergesOf(request)).toBe(1);
      expect((await place.notes(request)).filter((text) => text === 'merged')).toHaveLength(1);
      expect(
        (await place.events(request)).filter(({ action }) => action === 'accepted'),
      ).toHaveLength(1);
    });

    it('whether the success or the request to merge comes first', async () => {
      for (let round = 0; round < 4; round += 1) {
        const request = await place.propose();
        await place.post(request, 'running').expect(200);
        const wish = place.accept(request, { merge_when_build_succeeds: true });
        await Promise.all([wish, place.post(request, 'success')]);
        await merged(request);
        expect(await mergesOf(request)).toBe(1);
      }
    });

    it('or not at all when it is canceled concurrently', async () => {
      for (let round = 0; round < 4; round += 1) {
        const request = await place.propose();
        await place.wait(request);
        const [cancelled] = await Promise.all([
          place.cancel(request),
          place.post(request, 'success'),
        ]);
        await settled();
        const { state } = await place.read(request);
        expect([cancelled.status, state]).toEqual(
          cancelled.status === 200 ? [200, 'opened'] : [405, 'merged'],
        );
      }
    });
  });

  describe('while todos of its author', () => {
    it('show a failed status of the head until it is posted again', async () => {
      const author = await memberOf(trellis, place.project, 30);
      const request = await place.propose({ by: author });
      const todo = (state: string) => ({
        user_id: author.user.id,
        action: 'build_failed',
        state,
        author_id: author.user.id,
      });
      await place.post({ ...request, source_branch: 'master' }, 'failed').expect(200);
      await place.post({ ...request, sha: place.head }, 'failed').expect(200);
      await place.post(request, 'canceled').expect(200);
      expect(await place.todos(request)).toEqual([]);
      await place.post(request, 'failed').expect(200);
      await place.post(request, 'failed', { name: 'other' }).expect(200);
      expect(await place.todos(request)).toEqual([todo('pending')]);
      await place.post(request, 'running').expect(200);
      expect(await place.todos(request)).toEqual([todo('done')]);
      await place.post(request, 'failed').expect(200);
      await place.post(request, 'failed').expect(200);
      expect((await place.todos(request)).map(({ state }) => state)).toEqual([
        'done',
        'done',
        'pending',
      ]);
      await place.update(request, { state_event: 'close' }).expect(200);
      await place.post(request, 'failed', { name: 'third' }).expect(200);
      expect(await place.todos(request)).toHaveLength(3);
    });
  });
});
