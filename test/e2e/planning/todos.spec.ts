import type { MadeProject, Person } from '../../support/factories.js';
import { openIssue, pathOf, TIMESTAMP } from '../../support/issues.js';
import { summaryOf } from '../../support/summaries.js';
import { finishAll, reasonsOf, todosOf } from '../../support/todos.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

describe('todos', () => {
  let trellis: Trellis;
  let owner: Person;
  let mia: Person;
  let project: MadeProject;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ name: 'Olga Owner' });
    project = await trellis.factories.project(owner, { visibilityLevel: 20 });
  });
  beforeEach(async () => {
    mia = await trellis.factories.user();
  });

  /** Issues that are put on a list, the one after the other. */
  async function marked(person: Person, count: number, where = project) {
    const issues = [];
    for (let made = 0; made < count; made += 1) {
      const issue = await openIssue(trellis, owner, where, { title: `Issue ${String(made)}` });
      await trellis
        .as(person)
        .post(`${pathOf(issue)}/todo`)
        .expect(200);
      issues.push(issue);
    }
    return issues;
  }

  it('require a signed-in user and well-formed parameters', async () => {
    await trellis.anonymous.get('/todos').expect(401);
    await trellis.anonymous.delete('/todos').expect(401);
    await trellis.anonymous.delete('/todos/1').expect(401);
    for (const [query, error] of [
      ['author_id=x', 'author_id is invalid'],
      ['project_id=1.5', 'project_id is invalid'],
    ]) {
      await trellis.as(mia).get(`/todos?${query}`).expect(400, { error });
      await trellis.as(mia).delete(`/todos?${query}`).expect(400, { error });
    }
    await trellis.as(mia).get('/todos?page=x').expect(400, { error: 'page is invalid' });
    await trellis.as(mia).delete('/todos/x').expect(400, { error: 'todo_id is invalid' });
  });

  it('show their target and their author', async () => {
    const issue = await openIssue(trellis, owner, project, { title: 'Look here' });
    const answer = await trellis
      .as(mia)
      .post(`${pathOf(issue)}/todo`)
      .expect(200);
    const { body: target } = await trellis.as(mia).get(pathOf(issue)).expect(200);
    const url = `${trellis.url}/${project.fullPath}`;
    const expected = {
      id: expect.any(Number) as number,
      project: {
        id: project.id,
        name: project.path,
        name_with_namespace: `Olga Owner / ${project.path}`,
        path: project.path,
        path_with_namespace: project.fullPath,
        http_url_to_repo: `${url}.git`,
        web_url: url,
      },
      author: summaryOf(trellis, mia),
      action_name: 'marked',
      target_type: 'Issue',
      target: target as object,
      target_url: `${url}/issues/${String(issue.iid)}`,
      body: 'Look here',
      state: 'pending',
      created_at: TIMESTAMP,
    };
    expect(answer.body).toEqual(expected);
    expect(await todosOf(trellis, mia)).toEqual([expected]);
    await trellis
      .as(mia)
      .post(`${pathOf(issue)}/todo`)
      .expect(304);
  });

  it('link to the note that caused them, and show its text', async () => {
    const issue = await openIssue(trellis, owner, project);
    const body = `What do you think, @${mia.user.username}?`;
    const note = await trellis
      .as(owner)
      .post(`${pathOf(issue)}/notes`, { body })
      .expect(200);
    const { id } = note.body as { id: number };
    const url = `${trellis.url}/${project.fullPath}/issues/${String(issue.iid)}`;
    expect(await todosOf(trellis, mia)).toMatchObject([
      { action_name: 'mentioned', body, target_url: `${url}#note_${String(id)}` },
    ]);
    await trellis
      .as(owner)
      .delete(`${pathOf(issue)}/notes/${String(id)}`)
      .expect(200);
    expect(await todosOf(trellis, mia)).toMatchObject([{ body: issue.title, target_url: url }]);
  });

  it('are listed page by page, newest first', async () => {
    const issues = await marked(mia, 3);
    const newest = issues.map(({ id }) => ['marked', id]).reverse();
    expect(await reasonsOf(trellis, mia)).toEqual(newest);
    const second = await trellis.as(mia).get('/todos?page=2&per_page=2').expect(200);
    expect(second.headers).toMatchObject({ 'x-total': '3', 'x-total-pages': '2' });
    expect(await reasonsOf(trellis, mia, '?page=2&per_page=2')).toEqual(newest.slice(2));
    expect(await reasonsOf(trellis, mia, '?page=9')).toEqual([]);
  });

  it('are listed by each filter and by all filters together', async () => {
    const other = await trellis.factories.project(owner, { visibilityLevel: 10 });
    const [first] = await marked(mia, 1);
    const [second] = await marked(mia, 1, other);
    const third = await openIssue(trellis, owner, project, {
      title: `Hello @${mia.user.username}`,
    });
    const [ofFirst, ofSecond, ofThird] = [first!.id, second!.id, third.id];
    const listed = async (query: string) =>
      (await reasonsOf(trellis, mia, `?${query}`)).map(([, id]) => id);
    const all = [ofThird, ofSecond, ofFirst];
    const [author, home] = [String(owner.user.id), String(project.id)];
    expect(await listed('state=pending')).toEqual(all);
    expect(await listed('state=done')).toEqual([]);
    expect(await listed('action=marked')).toEqual([ofSecond, ofFirst]);
    expect(await listed('action=mentioned')).toEqual([ofThird]);
    expect(await listed('action=assigned')).toEqual([]);
    expect(await listed(`author_id=${author}`)).toEqual([ofThird]);
    expect(await listed('author_id=2147483647')).toEqual([]);
    expect(await listed(`project_id=${home}`)).toEqual([ofThird, ofFirst]);
    expect(await listed('type=Issue')).toEqual(all);
    expect(await listed('type=MergeRequest')).toEqual([]);
    expect(
      await listed(`action=mentioned&author_id=${author}&project_id=${home}&type=Issue`),
    ).toEqual([ofThird]);
    expect(await listed('state=lost&action=eaten&type=Snippet')).toEqual(all);
  });

  it('are marked done one by one, repeatedly', async () => {
    const [first, second] = await marked(mia, 2);
    const [, todo] = await todosOf(trellis, mia);
    const path = `/todos/${String(todo!.id)}`;
    const stranger = await trellis.factories.user();
    await trellis.as(stranger).delete(path).expect(404, { message: '404 Not found' });
    await trellis
      .as(await trellis.factories.admin())
      .delete(path)
      .expect(404);
    await trellis.as(mia).delete('/todos/2147483647').expect(404);
    for (let times = 0; times < 2; times += 1) {
      const answer = await trellis.as(mia).delete(path).expect(200);
      expect(answer.body).toEqual({ ...todo, state: 'done', target: expect.any(Object) as object });
    }
    expect(await reasonsOf(trellis, mia)).toEqual([['marked', second!.id]]);
    expect(await reasonsOf(trellis, mia, '?state=done')).toEqual([['marked', first!.id]]);
    await trellis
      .as(mia)
      .post(`${pathOf(first!)}/todo`)
      .expect(200);
    expect(await reasonsOf(trellis, mia)).toHaveLength(2);
  });

  it('are marked done together, within the filter', async () => {
    const other = await trellis.factories.project(owner, { visibilityLevel: 20 });
    await marked(mia, 2);
    await marked(mia, 1, other);
    const finish = async (query: string) =>
      (await trellis.as(mia).delete(`/todos${query}`).expect(200)).body as unknown;
    expect(await finish('?action=mentioned')).toBe(0);
    expect(await finish('?state=done')).toBe(0);
    expect(await finish(`?project_id=${String(other.id)}&action=marked`)).toBe(1);
    expect(await finish('')).toBe(2);
    expect(await finish('')).toBe(0);
    expect(await reasonsOf(trellis, mia)).toEqual([]);
    expect(await reasonsOf(trellis, mia, '?state=done')).toHaveLength(3);
  });

  it('exclude unreadable and deleted targets', async () => {
    const confidential = await openIssue(trellis, owner, project, { title: 'Hush' });
    const deleted = await openIssue(trellis, owner, project);
    const hidden = await trellis.factories.project(owner, { visibilityLevel: 20 });
    const closed = await trellis.factories.project(owner, { visibilityLevel: 20 });
    const inHidden = await openIssue(trellis, owner, hidden);
    const inClosed = await openIssue(trellis, owner, closed);
    for (const issue of [confidential, deleted, inHidden, inClosed]) {
      await trellis
        .as(mia)
        .post(`${pathOf(issue)}/todo`)
        .expect(200);
    }
    const [newest] = await todosOf(trellis, mia);
    await trellis.as(owner).put(pathOf(confidential), { confidential: true }).expect(200);
    await trellis.as(owner).delete(pathOf(deleted)).expect(200);
    const settings = (made: MadeProject, changes: object) =>
      trellis
        .as(owner)
        .put(`/projects/${String(made.id)}`, changes)
        .expect(200);
    await settings(hidden, { visibility_level: 0 });
    await settings(closed, { issues_enabled: false });

    const { body, headers } = await trellis.as(mia).get('/todos').expect(200);
    expect(body).toEqual([]);
    expect(headers).toMatchObject({ 'x-total': '0' });
    await trellis
      .as(mia)
      .delete(`/todos/${String(newest!.id)}`)
      .expect(404);
    expect((await trellis.as(mia).delete('/todos').expect(200)).body).toBe(0);

    await settings(hidden, { visibility_level: 20 });
    expect(await reasonsOf(trellis, mia)).toEqual([['marked', inHidden.id]]);
  });

  it('are created once for concurrent requests', async () => {
    const issue = await openIssue(trellis, owner, project);
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => trellis.as(mia).post(`${pathOf(issue)}/todo`)),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array.from({ length: 9 }, () => 304)]);
    expect(await reasonsOf(trellis, mia)).toEqual([['marked', issue.id]]);
  });

  it('take the same number of statements for any number on a page', async () => {
    await marked(mia, 1);
    const list = () => trellis.as(mia).get('/todos').expect(200);
    await list();
    const one = await trellis.statements.during(list);
    const other = await trellis.factories.project(await trellis.factories.user(), {
      visibilityLevel: 20,
    });
    await marked(mia, 3);
    await marked(mia, 2, other);
    await openIssue(trellis, owner, project, { title: `@${mia.user.username}`, labels: 'a,b' });
    const many = await trellis.statements.during(list);
    expect(many).toHaveLength(one.length);
    await finishAll(trellis, mia);
  });
});
