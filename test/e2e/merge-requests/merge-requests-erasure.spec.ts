import { AccountErasure } from '../../../src/modules/users/index.js';
import { eraseAtOnce } from '../../support/erasure.js';
import { addMergeRequests } from '../../support/merge-request-rows.js';
import { pathOf } from '../../support/merge-requests.js';
import { Trellis } from '../../support/trellis.js';
import { until } from '../../support/until.js';

jest.setTimeout(120_000);

describe('merge requests of deleted accounts', () => {
  let trellis: Trellis;

  beforeAll(async () => {
    trellis = await Trellis.shared({ runsJobs: true });
    eraseAtOnce(trellis);
  });
  afterAll(() => trellis.restore());

  it('belong to the ghost user, and lose a deleted assignee', async () => {
    const { factories } = trellis;
    const [owner, leaver, admin] = [
      ...[await factories.user(), await factories.user(), await factories.admin()],
    ] as const;
    const project = await factories.project(owner, { visibilityLevel: 20 });
    const [theirs, given] = await addMergeRequests(trellis, project, [
      { authorId: leaver.user.id },
      { authorId: owner.user.id, assigneeId: leaver.user.id },
    ]);
    await trellis.rows(
      'UPDATE merge_requests SET updated_by_id = $2, merge_user_id = $2 WHERE id = $1',
      [given, leaver.user.id],
    );
    await trellis
      .as(admin)
      .delete(`/users/${String(leaver.user.id)}`)
      .expect(200);
    const read = async (id: number) => {
      const path = pathOf({ id, project_id: project.id });
      return (await trellis.as(owner).get(path).expect(200)).body as object;
    };
    expect(await read(theirs!)).toMatchObject({ author: { username: 'ghost', state: 'blocked' } });
    expect(await read(given!)).toMatchObject({ assignee: null });
    await until(
      async () =>
        (await trellis.rows('SELECT 1 FROM users WHERE id = $1', [leaver.user.id])).length === 0,
    );
    const [ghost] = await trellis.rows<{ id: number }>('SELECT id FROM users WHERE ghost');
    const rows = await trellis.rows(
      `SELECT author_id, assignee_id, updated_by_id, merge_user_id FROM merge_requests
        WHERE project_id = $1 ORDER BY iid`,
      [project.id],
    );
    expect(rows).toEqual([
      { author_id: ghost!.id, assignee_id: null, updated_by_id: null, merge_user_id: null },
      {
        author_id: owner.user.id,
        assignee_id: null,
        updated_by_id: ghost!.id,
        merge_user_id: ghost!.id,
      },
    ]);
  });

  it('are handed over in chunks, for any number', async () => {
    const { factories } = trellis;
    const [owner, leaver, heir] = [
      ...[await factories.user(), await factories.user(), await factories.user()],
    ] as const;
    const project = await factories.project(owner);
    const { id } = leaver.user;
    const row = { authorId: id, assigneeId: id, state: 'closed' } as const;
    await addMergeRequests(trellis, project, Array<typeof row>(1_001).fill(row));
    await trellis.rows(
      `UPDATE merge_requests SET updated_by_id = $1, merge_user_id = $1, force_remove_by_id = $1,
              reviewer_ids = ARRAY[$1::int], approved_by_ids = ARRAY[$1::int]
        WHERE author_id = $1`,
      [id],
    );
    const { steps } = trellis.app.get(AccountErasure);
    const ours = steps.filter(({ name }) => name.startsWith('MergeRequestsRepository.'));
    expect(ours).toHaveLength(7);
    for (const step of ours) {
      const more = [await step.run(id, heir.user.id), await step.run(id, heir.user.id)];
      expect([step.name, ...more]).toEqual([step.name, true, false]);
    }
    const rows = await trellis.rows(
      `SELECT author_id, assignee_id, updated_by_id, merge_user_id, force_remove_by_id,
              assignee_ids, reviewer_ids, approved_by_ids, count(*)::int AS count
         FROM merge_requests WHERE project_id = $1 GROUP BY 1, 2, 3, 4, 5, 6, 7, 8`,
      [project.id],
    );
    const theirs = heir.user.id;
    expect(rows).toEqual([
      {
        ...{ author_id: theirs, assignee_id: null, updated_by_id: theirs, merge_user_id: theirs },
        force_remove_by_id: theirs,
        ...{ assignee_ids: [], reviewer_ids: [], approved_by_ids: [] },
        count: 1_001,
      },
    ]);
  });
});
