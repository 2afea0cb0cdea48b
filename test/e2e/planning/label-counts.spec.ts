import type { MadeProject, Person } from '../../support/factories.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

type Counts = [open: number, closed: number];

interface LabelBody {
  name: string;
  open_issues_count: number;
  closed_issues_count: number;
  open_merge_requests_count: number;
}

describe('The counts of labels', () => {
  let trellis: Trellis;
  let owner: Person;
  let author: Person;
  let reporter: Person;
  let project: MadeProject;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    author = await trellis.factories.user();
    reporter = await trellis.factories.user();
  });

  beforeEach(async () => {
    project = await trellis.factories.project(owner, { visibilityLevel: 20 });
    await trellis.factories.addToProject(project, reporter, 20);
  });

  const issuesOf = () => `/projects/${String(project.id)}/issues`;

  /** An issue of somebody with labels, which only reporters can give it. */
  async function issue(labels: string, more: object = {}, by = reporter): Promise<number> {
    const made = await trellis.as(by).post(issuesOf(), { title: 'Issue', ...more });
    expect(made.status).toBe(200);
    const { id } = made.body as { id: number };
    await trellis
      .as(reporter)
      .put(`${issuesOf()}/${String(id)}`, { labels })
      .expect(200);
    return id;
  }

  const close = (id: number) =>
    trellis
      .as(reporter)
      .put(`${issuesOf()}/${String(id)}`, { state_event: 'close' })
      .expect(200);

  async function countsFor(person: Person): Promise<Record<string, Counts>> {
    const { body } = await trellis
      .as(person)
      .get(`/projects/${String(project.id)}/labels`)
      .expect(200);
    return Object.fromEntries(
      (body as LabelBody[]).map((label) => {
        expect(label.open_merge_requests_count).toBe(0);
        return [label.name, [label.open_issues_count, label.closed_issues_count]];
      }),
    );
  }

  it('cover open and closed issues, and follow changes', async () => {
    const first = await issue('bug,ui');
    const second = await issue('bug');
    await close(await issue('ui'));
    expect(await countsFor(author)).toEqual({ bug: [2, 0], ui: [1, 1] });
    await close(first);
    expect(await countsFor(author)).toEqual({ bug: [1, 1], ui: [0, 2] });
    const reopened = { state_event: 'reopen', labels: 'bug' };
    await trellis
      .as(reporter)
      .put(`${issuesOf()}/${String(first)}`, reopened)
      .expect(200);
    expect(await countsFor(author)).toEqual({ bug: [2, 0], ui: [0, 1] });
    await trellis
      .as(owner)
      .delete(`${issuesOf()}/${String(second)}`)
      .expect(200);
    expect(await countsFor(author)).toEqual({ bug: [1, 0], ui: [0, 1] });
  });

  it('exclude confidential issues that the reader may not read', async () => {
    const stranger = await trellis.factories.user();
    const assignee = await trellis.factories.user();
    const guest = await trellis.factories.user();
    await trellis.factories.addToProject(project, guest, 10);
    const admin = await trellis.factories.admin();
    const confidential = true;
    await issue('bug');
    await issue('bug', { confidential }, author);
    await issue('bug', { confidential, assignee_id: assignee.user.id });
    await close(await issue('bug', { confidential }));
    const expected: [Person, Counts][] = [
      [stranger, [1, 0]],
      [guest, [1, 0]],
      [author, [2, 0]],
      [assignee, [2, 0]],
      [reporter, [3, 1]],
      [owner, [3, 1]],
      [admin, [3, 1]],
    ];
    for (const [person, counts] of expected) {
      expect(await countsFor(person)).toEqual({ bug: counts });
    }
  });

  it('are zero where issues are disabled', async () => {
    await issue('bug');
    const path = `/projects/${String(project.id)}`;
    await trellis.as(owner).put(path, { issues_enabled: false }).expect(200);
    expect(await countsFor(owner)).toEqual({ bug: [0, 0] });
    await trellis.as(owner).put(path, { issues_enabled: true }).expect(200);
    expect(await countsFor(owner)).toEqual({ bug: [1, 0] });
  });

  it('take the same number of statements for any number of labels and issues', async () => {
    await issue('one');
    const few = await trellis.statements.during(() => countsFor(reporter));
    for (const labels of ['one,two,three', 'two,four', 'five,six,seven,eight']) {
      await issue(labels);
    }
    const many = await trellis.statements.during(() => countsFor(reporter));
    expect(many).toHaveLength(few.length);
  });
});
