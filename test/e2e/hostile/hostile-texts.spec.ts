import type { Checkout } from '../../support/checkout.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { type IssueBody, openIssue, pathOf, systemNotes } from '../../support/issues.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { Trellis } from '../../support/trellis.js';
import { until } from '../../support/until.js';

jest.setTimeout(180_000);

describe('texts designed to be slow', () => {
  let trellis: Trellis;
  let owner: Person;
  let pushed: PushedProjects;
  let project: MadeProject;
  let work: Checkout;

  beforeAll(async () => {
    trellis = await Trellis.shared({ runsJobs: true });
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    pushed = new PushedProjects(trellis, owner);
    ({ project, work } = await pushed.make());
  });
  afterAll(async () => {
    await pushed.remove();
    await trellis.restore();
  });

  /** How much of the processor this process used meanwhile, in seconds. */
  const cost = async (act: () => Promise<unknown>): Promise<number> => {
    const before = process.cpuUsage();
    await act();
    return process.cpuUsage(before).user / 1_000_000;
  };

  it('are read within the budget of a push, the newest commits first', async () => {
    const [oldest, newest] = [
      await openIssue(trellis, owner, project),
      await openIssue(trellis, owner, project),
    ];
    const slow = '!['.repeat(50_000);
    const closing = ({ iid }: IssueBody) => `Closes #${String(iid)}`;
    await work.commitAll([closing(oldest), ...Array<string>(20).fill(slow), closing(newest)]);
    const used = await cost(async () => {
      const { code } = await work.push('HEAD:refs/heads/master');
      expect(code).toBe(0);
      await until(async () => {
        const jobs = await trellis.rows(`SELECT 1 FROM outbox WHERE queue = 'issues' LIMIT 1`);
        return jobs.length === 0;
      });
    });
    // Twenty parses of one such text took a quarter of a minute.
    expect(used).toBeLessThan(8);
    const { body } = await trellis.as(owner).get(pathOf(newest)).expect(200);
    expect(body).toMatchObject({ state: 'closed' });
    // A million characters are read: what stands behind them has no effect.
    expect(await systemNotes(trellis, oldest)).toEqual([]);
  });

  it('are moved with the issue in linear time', async () => {
    const target = await trellis.factories.project(owner);
    const issue = await openIssue(trellis, owner, project, { description: '<b>#1</b>' });
    for (let written = 0; written < 6; written += 1) {
      const body = '<b>#1</b>'.repeat(11_111);
      await trellis
        .as(owner)
        .post(`${pathOf(issue)}/notes`, { body })
        .expect(200);
    }
    const used = await cost(() =>
      trellis
        .as(owner)
        .post(`${pathOf(issue)}/move`, { to_project_id: target.id })
        .expect(200),
    );
    expect(used).toBeLessThan(5);
  });

  it('prevent the move of an issue beyond the limit', async () => {
    const target = await trellis.factories.project(owner);
    const issue = await openIssue(trellis, owner, project);
    await trellis.rows(
      `INSERT INTO notes (project_id, noteable_type, noteable_id, author_id, body)
       SELECT $1, 'Issue', $2, $3, 'Note' FROM generate_series(1, 10001)`,
      [project.id, issue.id, owner.user.id],
    );
    const { body } = await trellis
      .as(owner)
      .post(`${pathOf(issue)}/move`, { to_project_id: target.id })
      .expect(400);
    expect(body).toEqual({
      message: 'Cannot move issue: its notes are too many or too long!',
    });
    expect(await trellis.rows('SELECT 1 FROM issues WHERE project_id = $1', [target.id])).toEqual(
      [],
    );
  });

  it('of commits are truncated in lists, and complete for single commits', async () => {
    const message = `Long\n\n${'x'.repeat(100_000)}`;
    const sha = await work.commit(message);
    expect((await work.push('HEAD:refs/heads/long')).code).toBe(0);
    const commits = `/projects/${String(project.id)}/repository/commits`;
    const list = await trellis.as(owner).get(`${commits}?ref_name=long&per_page=1`).expect(200);
    const [listed] = list.body as [{ id: string; title: string; message: string }];
    expect(listed).toMatchObject({ id: sha, title: 'Long' });
    expect(listed.message).toBe(`${message.slice(0, 65_536)}…`);
    const { body } = await trellis.as(owner).get(`${commits}/${sha}`).expect(200);
    expect((body as { message: string }).message.trimEnd()).toBe(message);
  });

  it('of system notes about a move are shown only to readers of the other issue', async () => {
    const secret = await trellis.factories.project(owner);
    const open = await trellis.factories.project(owner, { visibilityLevel: 20 });
    const issue = await openIssue(trellis, owner, secret);
    const { body } = await trellis
      .as(owner)
      .post(`${pathOf(issue)}/move`, { to_project_id: open.id })
      .expect(200);
    const notes = `/projects/${String(open.id)}/issues/${String((body as { id: number }).id)}/notes`;
    const shown = await trellis.as(owner).get(notes).expect(200);
    expect((shown.body as { body: string }[]).map((note) => note.body)).toEqual([
      `moved from ${secret.path}#${String(issue.iid)}`,
    ]);
    const stranger = await trellis.factories.user();
    expect((await trellis.as(stranger).get(notes).expect(200)).body).toEqual([]);
  });

  it('do not publish the members of a private group that a public project is shared with', async () => {
    const founder = await trellis.factories.user();
    const group = await trellis.factories.group(founder, { visibilityLevel: 0 });
    const open = await trellis.factories.project(owner, { visibilityLevel: 20 });
    await trellis.factories.share(open, group, 30);
    const stranger = await trellis.factories.user();
    const members = `/groups/${String(group.id)}/members`;
    await trellis
      .as(stranger)
      .get(`/groups/${String(group.id)}`)
      .expect(200);
    await trellis.as(stranger).get(members).expect(403);
    await trellis
      .as(stranger)
      .get(`${members}/${String(founder.user.id)}`)
      .expect(403);
    await trellis.as(founder).get(members).expect(200);
    const users = async (reader: Person) => {
      const { body } = await trellis
        .as(reader)
        .get(`/projects/${String(open.id)}/users`)
        .expect(200);
      return (body as { id: number }[]).map(({ id }) => id);
    };
    expect(await users(stranger)).not.toContain(founder.user.id);
    expect(await users(founder)).toContain(founder.user.id);
    expect(await users(await trellis.factories.admin())).toContain(founder.user.id);
  });
});
