/** @campaign crowds */
import { lengthOf } from '../../support/lengths.js';
import { type MergePlace, Merging, type RequestBody } from '../../support/merging.js';
import { memberOf } from '../../support/pushed-refs.js';
import { Trellis } from '../../support/trellis.js';

/** Of each race: who wins one is chance. */
const ROUNDS = lengthOf({ brief: 2, campaign: 6 });

jest.setTimeout(180_000);

describe('concurrent acceptance', () => {
  let trellis: Trellis;
  let beside: Trellis;
  let merging: Merging;
  let place: MergePlace;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    beside = await Trellis.start({ because: 'another process', beside: trellis });
    merging = await Merging.begin(trellis);
  });
  beforeEach(async () => {
    place = await merging.place();
  });
  afterAll(async () => {
    await merging.end();
    await beside.stop();
  });

  const merges = async (): Promise<string[]> =>
    (await place.refs.git('log', '--merges', '--format=%P', 'master')).split('\n').filter(Boolean);

  const acceptBeside = (request: RequestBody, by = place.owner) =>
    beside
      .as(by)
      .put(`/projects/${String(request.project_id)}/merge_requests/${String(request.id)}/merge`);

  it('of one request by many users in two processes creates one merge commit', async () => {
    const others = await Promise.all([1, 2, 3].map(() => memberOf(trellis, place.project, 40)));
    const people = [place.owner, ...others];
    for (let round = 0; round < ROUNDS; round += 1) {
      const request = await place.propose();
      const before = (await merges()).length;
      const answers = await Promise.all(
        people.flatMap((person) => [
          place.accept(request, {}, person),
          acceptBeside(request, person),
        ]),
      );
      const statuses = answers.map(({ status }) => status).sort();
      expect(statuses[0]).toBe(200);
      for (const status of statuses.slice(1)) expect([406, 409]).toContain(status);
      expect(await merges()).toHaveLength(before + 1);
      expect(await place.notes(request)).toEqual(['merged']);
      const accepted = (await place.events(request)).filter(({ action }) => action === 'accepted');
      expect(accepted).toHaveLength(1);
    }
    await place.refs.expectSound();
  });

  it('of several requests merges all of them', async () => {
    const requests: RequestBody[] = [];
    for (let made = 0; made < 6; made += 1) requests.push(await place.propose());
    const answers = await Promise.all(
      requests.map((request, index) =>
        index % 2 === 0 ? place.accept(request) : acceptBeside(request),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(requests.map(() => 200));
    const heads = (await merges()).map((parents) => parents.split(' ')[1]);
    expect(heads.sort()).toEqual(requests.map(({ sha }) => sha).sort());
    for (const request of requests) {
      const { state, merge_commit_sha: commit } = await place.read(request);
      expect(state).toBe('merged');
      expect(await place.refs.git('log', '-1', '--format=%P', commit ?? '')).toContain(request.sha);
    }
    await place.refs.expectSound();
  });

  it('of conflicting requests merges only the first', async () => {
    const requests = await Promise.all(
      ['a', 'b', 'c'].map((content) => place.propose({ file: 'file.txt', content })),
    );
    const answers = await Promise.all(requests.map((request) => place.accept(request)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 405, 405]);
    for (const { status, body } of answers) {
      if (status === 405) expect(body).toEqual({ message: 'Branch cannot be merged' });
    }
    expect(await merges()).toHaveLength(1);
  });

  it('with a push to the target merges into the new head', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const request = await place.propose();
      const [answer, pushed] = await Promise.all([place.accept(request), place.commit('master')]);
      expect(answer.status).toBe(200);
      const log = await place.refs.git('log', '--format=%H', 'master');
      expect(log).toContain(pushed);
      expect(log).toContain(request.sha);
    }
    await place.refs.expectSound();
  });

  it('with a push to the source merges either head, or nothing', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const request = await place.propose();
      const [answer] = await Promise.all([
        place.accept(request),
        place.commit(request.source_branch),
      ]);
      expect([200, 409]).toContain(answer.status);
      const { state, sha } = await place.read(request);
      expect(state).toBe(answer.status === 200 ? 'merged' : 'opened');
      const isThere = (await place.refs.git('log', '--format=%H', 'master')).includes(sha);
      expect(isThere).toBe(answer.status === 200);
    }
  });

  it('with a close either merges or closes', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const request = await place.propose();
      const [answer, closing] = await Promise.all([
        place.accept(request),
        place.update(request, { state_event: 'close' }),
      ]);
      expect(closing.status).toBe(200);
      const { state } = await place.read(request);
      expect([answer.status, state]).toEqual(
        answer.status === 200 ? [200, 'merged'] : [406, 'closed'],
      );
      const isThere = (await place.refs.git('log', '--format=%H', 'master')).includes(request.sha);
      expect(isThere).toBe(state === 'merged');
    }
  });
});
