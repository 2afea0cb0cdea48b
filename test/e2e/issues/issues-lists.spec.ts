/** @campaign matrices */
import type { MadeGroup, MadeProject, Person } from '../../support/factories.js';
import {
  combinations,
  expected,
  type Filter,
  type Known,
  pairwise,
} from '../../support/issue-lists.js';
import { addIssues, addLabel } from '../../support/issue-rows.js';
import { type IssueBody, issuesOf, makeMilestone } from '../../support/issues.js';
import { lengthOf } from '../../support/lengths.js';
import { Trellis } from '../../support/trellis.js';

/** Of filters. */
const COMBINATIONS = lengthOf({ brief: pairwise, campaign: combinations })();

jest.setTimeout(300_000);

/** Every list of issues, held against a model of it. */
describe('lists of issues', () => {
  let trellis: Trellis;
  let owner: Person;
  let reporter: Person;
  let stranger: Person;
  let group: MadeGroup;
  let projects: MadeProject[];
  let archived: MadeProject;
  const all: Known[] = [];

  beforeAll(async () => {
    trellis = await Trellis.shared();
    const { factories } = trellis;
    owner = await factories.user();
    reporter = await factories.user();
    stranger = await factories.user();
    group = await factories.group(owner);
    const made = () => factories.project(owner, { visibilityLevel: 20, namespaceId: group.id });
    projects = [await made(), await made()];
    archived = await made();
    await trellis
      .as(owner)
      .post(`/projects/${String(archived.id)}/archive`)
      .expect(200);
    for (const project of [...projects, archived]) {
      await factories.addToProject(project, reporter, 20);
      await fill(project);
    }
  });

  /** Issues of every kind, several of them made and changed at the same moments. */
  async function fill(project: MadeProject): Promise<void> {
    const milestone = await makeMilestone(trellis, project, 'one');
    const names = ['red', 'blue', 'green'];
    const ids: number[] = [];
    for (const name of names) ids.push(await addLabel(trellis, project, name));
    const drafts = Array.from({ length: 48 }, (_, n) => ({
      authorId: n % 3 === 0 ? stranger.user.id : owner.user.id,
      assigneeId: n % 8 === 1 ? stranger.user.id : null,
      state: n % 4 === 3 ? ('closed' as const) : ('opened' as const),
      confidential: n % 5 === 0,
      hasMilestone: n % 2 === 0,
      labels: names.filter((_name, at) => (n >> at) % 2 === 1),
      created_at: `2016-01-01T00:00:00.${String(Math.floor(n / 5)).padStart(3, '0')}Z`,
      updated_at: `2016-02-01T00:00:00.${String(20 - Math.floor(n / 7)).padStart(3, '0')}Z`,
    }));
    const rows = drafts.map(({ hasMilestone, labels, created_at, updated_at, ...row }) => ({
      ...row,
      milestoneId: hasMilestone ? milestone : null,
      labels: labels.map((name) => ids[names.indexOf(name)]!),
      createdAt: created_at,
      updatedAt: updated_at,
    }));
    const made = await addIssues(trellis, project, rows);
    all.push(
      ...drafts.map(({ hasMilestone, ...draft }, n) => ({
        ...draft,
        id: made[n]!,
        projectId: project.id,
        milestone: hasMilestone ? 'one' : null,
      })),
    );
  }

  const isTheirs = (issue: Known, { user }: Person) =>
    issue.authorId === user.id || issue.assigneeId === user.id;
  const reads = (person: Person) => (issue: Known) =>
    person !== stranger || !issue.confidential || isTheirs(issue, stranger);

  const queryOf = (filter: Filter): string =>
    Object.entries<string | undefined>({ ...filter })
      .flatMap(([name, value]) =>
        value === undefined ? [] : `${name}=${encodeURIComponent(value)}`,
      )
      .join('&');

  async function get(person: Person, path: string, filter: Filter) {
    const query = `per_page=100&${queryOf(filter)}`;
    const { body, headers } = await trellis.as(person).get(`${path}?${query}`).expect(200);
    return { ids: (body as IssueBody[]).map(({ id }) => id), total: headers['x-total'] as string };
  }

  it('of a project return every pair of filters, for members and others', async () => {
    const [project] = projects as [MadeProject];
    const inProject = all.filter(({ projectId }) => projectId === project.id);
    for (const filter of COMBINATIONS) {
      for (const person of [reporter, stranger]) {
        const ids = expected(inProject, filter, 'any', reads(person));
        const answer = await get(person, issuesOf(project), filter);
        expect({ filter, ...answer }).toEqual({ filter, ids, total: String(ids.length) });
      }
    }
  });

  it('of a group return every pair of filters, without archived projects', async () => {
    const living = all.filter(({ projectId }) => projectId !== archived.id);
    for (const filter of COMBINATIONS) {
      const person = filter.sort === 'asc' ? stranger : reporter;
      const ids = expected(living, filter, 'all', reads(person));
      const answer = await get(person, `/groups/${String(group.id)}/issues`, filter);
      expect({ filter, ...answer }).toEqual({
        filter,
        ids: ids.slice(0, 100),
        total: String(ids.length),
      });
    }
  });

  it('of the caller return every pair of filters, with confidential issues', async () => {
    const theirs = all.filter(({ authorId }) => authorId === stranger.user.id);
    for (const filter of COMBINATIONS) {
      const ids = expected(theirs, filter, 'any', () => true);
      const answer = await get(stranger, '/issues', filter);
      expect({ filter, ...answer }).toEqual({ filter, ids, total: String(ids.length) });
    }
  });

  it('of a milestone return the newest first', async () => {
    const [project] = projects as [MadeProject];
    const inMilestone = all.filter(
      (issue) => issue.projectId === project.id && issue.milestone !== null,
    );
    const [{ id }] = (await trellis.rows<{ id: number }>(
      'SELECT id FROM milestones WHERE project_id = $1',
      [project.id],
    )) as [{ id: number }];
    const path = `/projects/${String(project.id)}/milestones/${String(id)}/issues`;
    for (const person of [reporter, stranger]) {
      const ids = expected(inMilestone, {}, 'any', reads(person));
      expect(await get(person, path, {})).toEqual({ ids, total: String(ids.length) });
    }
    await trellis.anonymous.get(path).expect(401);
    const nowhere = `/projects/${String(projects[1]!.id)}/milestones/${String(id)}/issues`;
    const absent = await trellis.as(reporter).get(nowhere).expect(404);
    expect(absent.body).toEqual({ message: '404 Not found' });
  });

  it('return every issue on exactly one page', async () => {
    for (const [path, match, from] of [
      [issuesOf(projects[0]!), 'any', [projects[0]!.id]],
      [`/groups/${String(group.id)}/issues`, 'all', projects.map(({ id }) => id)],
    ] as const) {
      const ids: number[] = [];
      for (let page = 1; ; page += 1) {
        const query = `labels=red&order_by=updated_at&per_page=7&page=${String(page)}`;
        const answer = await trellis.as(stranger).get(`${path}?${query}`).expect(200);
        ids.push(...(answer.body as IssueBody[]).map(({ id }) => id));
        if (answer.headers['x-next-page'] === '') break;
      }
      const listed = all.filter(({ projectId }) => from.includes(projectId));
      const filter = { labels: 'red', order_by: 'updated_at' } as const;
      expect(ids).toEqual(expected(listed, filter, match, reads(stranger)));
    }
  });

  it('filter by number within the project', async () => {
    const [project] = projects as [MadeProject];
    const inProject = all.filter(({ projectId }) => projectId === project.id);
    for (const [iid, filter, found] of [
      ['1', '', [inProject[0]!.id]],
      ['4', '', [inProject[3]!.id]],
      ['4', '&state=opened', []],
      ['4', '&state=closed', [inProject[3]!.id]],
      ['2', '&labels=red', [inProject[1]!.id]],
      ['2', '&labels=blue', []],
      ['49', '', []],
      ['0', '', []],
      ['99999999999', '', []],
    ] as const) {
      const { body } = await trellis
        .as(reporter)
        .get(`${issuesOf(project)}?iid=${iid}${filter}`)
        .expect(200);
      expect([iid, filter, (body as IssueBody[]).map(({ id }) => id)]).toEqual([
        ...[iid, filter, found],
      ]);
    }
    const confidential = await trellis
      .as(stranger)
      .get(`${issuesOf(project)}?iid=6`)
      .expect(200);
    expect(confidential.body).toEqual([]);
  });

  it('return the same body as a single issue', async () => {
    const [project] = projects as [MadeProject];
    for (const path of [issuesOf(project), `/groups/${String(group.id)}/issues`, '/issues']) {
      const { body } = await trellis.as(stranger).get(`${path}?per_page=5`).expect(200);
      expect(body).toHaveLength(5);
      for (const issue of body as IssueBody[]) {
        const alone = `${issuesOf({ id: issue.project_id })}/${String(issue.id)}`;
        expect((await trellis.as(stranger).get(alone).expect(200)).body).toEqual(issue);
      }
    }
  });

  it('ignore a filter without =', async () => {
    const [project] = projects as [MadeProject];
    for (const path of [issuesOf(project), `/groups/${String(group.id)}/issues`, '/issues']) {
      const all = await trellis.as(owner).get(path).expect(200);
      for (const key of ['state', 'order_by', 'sort', 'labels', 'milestone', 'page', 'iid[]']) {
        const { body, headers } = await trellis.as(owner).get(`${path}?${key}`).expect(200);
        expect([key, body, headers['link']]).toEqual([key, all.body, all.headers['link']]);
      }
    }
  });

  it('require a credential and well-formed parameters', async () => {
    const [project] = projects as [MadeProject];
    for (const path of [issuesOf(project), `/groups/${String(group.id)}/issues`, '/issues']) {
      await trellis.anonymous.get(path).expect(401);
      for (const [query, error] of [
        ['state=open', 'state does not have a valid value'],
        ['order_by=title', 'order_by does not have a valid value'],
        ['sort=DESC', 'sort does not have a valid value'],
        ['labels[a]=1', 'labels is invalid'],
        ['page=first', 'page is invalid'],
      ] as const) {
        const answer = await trellis.as(owner).get(`${path}?${query}`).expect(400);
        expect([query, answer.body]).toEqual([query, { error }]);
      }
    }
    const answer = await trellis
      .as(owner)
      .get(`${issuesOf(project)}?iid=one`)
      .expect(400);
    expect(answer.body).toEqual({ error: 'iid is invalid' });
    await trellis.as(owner).get('/groups/2147483647/issues').expect(404);
  });
});
