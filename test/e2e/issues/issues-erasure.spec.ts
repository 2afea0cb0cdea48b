import { AccountErasure } from '../../../src/modules/users/index.js';
import { eraseAtOnce } from '../../support/erasure.js';
import type { Person } from '../../support/factories.js';
import { addIssues } from '../../support/issue-rows.js';
import { type IssueBody, openIssue, pathOf } from '../../support/issues.js';
import { Trellis } from '../../support/trellis.js';
import { until } from '../../support/until.js';

jest.setTimeout(120_000);

describe('issues of deleted accounts', () => {
  let trellis: Trellis;
  let owner: Person;
  let admin: Person;

  beforeAll(async () => {
    trellis = await Trellis.shared({ runsJobs: true });
    eraseAtOnce(trellis);
    owner = await trellis.factories.user();
    admin = await trellis.factories.admin();
  });
  afterAll(() => trellis.restore());

  it('belong to the ghost user, and lose a deleted assignee', async () => {
    const project = await trellis.factories.project(owner, { visibilityLevel: 20 });
    const leaver = await trellis.factories.user();
    const theirs = await openIssue(trellis, leaver, project, { title: 'Theirs' });
    await trellis.as(leaver).put(pathOf(theirs), { title: 'Changed' }).expect(200);
    await trellis.as(owner).put(pathOf(theirs), { labels: 'bug' }).expect(200);
    const given = await openIssue(trellis, owner, project, { assignee_id: leaver.user.id });
    await trellis
      .as(admin)
      .delete(`/users/${String(leaver.user.id)}`)
      .expect(200);
    const read = async (issue: IssueBody) =>
      (await trellis.as(owner).get(pathOf(issue)).expect(200)).body as IssueBody;
    expect((await read(theirs)).author).toMatchObject({ username: 'ghost', state: 'blocked' });
    expect((await read(given)).assignee).toBeNull();
    const left = () =>
      trellis.rows('SELECT 1 FROM issues WHERE $1 IN (author_id, assignee_id, updated_by_id)', [
        leaver.user.id,
      ]);
    await until(async () => (await left()).length === 0);
    expect(await read(theirs)).toMatchObject({ author: { username: 'ghost' }, labels: ['bug'] });
    await until(
      async () =>
        (await trellis.rows('SELECT 1 FROM users WHERE id = $1', [leaver.user.id])).length === 0,
    );
  });

  it('are handed over in chunks, for any number', async () => {
    const project = await trellis.factories.project(owner);
    const [leaver, heir] = [await trellis.factories.user(), await trellis.factories.user()];
    const { id } = leaver.user;
    const label = await trellis
      .as(owner)
      .post(`/projects/${String(project.id)}/labels`, { name: 'bug', color: '#FF0000' })
      .expect(200);
    const labels = [(label.body as { id: number }).id];
    await addIssues(
      trellis,
      project,
      Array.from({ length: 1_001 }, () => ({ authorId: id, assigneeId: id, labels })),
    );
    await trellis.rows('UPDATE issues SET updated_by_id = $1 WHERE author_id = $1', [id]);
    const steps = trellis.app
      .get(AccountErasure)
      .steps.filter(({ name }) => /^(IssuesRepository|LabelsRepository)\./.test(name));
    expect(steps).toHaveLength(4);
    for (const step of steps) {
      const more = [await step.run(id, heir.user.id), await step.run(id, heir.user.id)];
      expect([step.name, ...more]).toEqual([step.name, true, false]);
    }
    const rows = await trellis.rows(
      `SELECT author_id, assignee_id, updated_by_id, count(*)::int AS count FROM issues
        WHERE project_id = $1 GROUP BY 1, 2, 3`,
      [project.id],
    );
    expect(rows).toEqual([
      { author_id: heir.user.id, assignee_id: null, updated_by_id: heir.user.id, count: 1_001 },
    ]);
    const links = await trellis.rows(
      'SELECT author_id, count(*)::int AS count FROM label_links WHERE label_id = $1 GROUP BY 1',
      labels,
    );
    expect(links).toEqual([{ author_id: heir.user.id, count: 1_001 }]);
  });
});
