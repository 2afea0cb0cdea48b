import type { QueryRunner } from 'typeorm';
import { type MergePlace, Merging, type RequestBody } from '../../support/merging.js';
import { untilWaitedFor } from '../../support/table-lock.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(60_000);

describe('waiting for the lock of a merge request', () => {
  let trellis: Trellis;
  let merging: Merging;
  let place: MergePlace;
  let other: QueryRunner;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    merging = await Merging.begin(trellis);
  });
  beforeEach(async () => {
    place = await merging.place();
    other = trellis.dataSource.createQueryRunner();
    await other.startTransaction();
  });
  afterEach(async () => {
    if (other.isTransactionActive) await other.rollbackTransaction();
    await other.release();
  });
  afterAll(() => merging.end());

  const hold = (table: string, id: number, how = ''): Promise<unknown> =>
    other.query(`SELECT FROM ${table} WHERE id = $1 FOR NO KEY UPDATE ${how}`, [id]);

  const somebodyWaits = (): Promise<void> => untilWaitedFor(trellis, other);

  it('during a push does not lock the project before it', async () => {
    const request = await place.propose();
    await hold('merge_requests', request.id);
    const pushed = place.commit(request.source_branch);
    await somebodyWaits();
    await hold('projects', place.project.id, 'NOWAIT');
    await other.commitTransaction();
    const sha = await pushed;
    expect((await place.read(request)).sha).toBe(sha);
  });

  it('during a push of several branches locks no later request, even if its branch is removed first', async () => {
    const [first, second] = [await place.propose(), await place.propose()] as [
      RequestBody,
      RequestBody,
    ];
    await hold('merge_requests', first.id);
    const next = await place.work.commit('Next');
    const pushed = place.work.push(
      ...['--force', `${next}:refs/heads/${first.source_branch}`],
      `:refs/heads/${second.source_branch}`,
    );
    await somebodyWaits();
    await hold('merge_requests', second.id, 'NOWAIT');
    await other.commitTransaction();
    expect((await pushed).code).toBe(0);
    expect(await place.notes(second)).toEqual([
      `deleted source branch \`${second.source_branch}\``,
    ]);
  });

  it('during an acceptance locks no later request', async () => {
    const [first, second] = [await place.propose(), await place.propose()] as [
      RequestBody,
      RequestBody,
    ];
    await hold('merge_requests', first.id);
    const accepted = place.accept(second).then(({ status }) => status);
    await somebodyWaits();
    await hold('merge_requests', second.id, 'NOWAIT');
    await other.commitTransaction();
    expect(await accepted).toBe(200);
  });
});
