import type { MadeProject, Person } from '../../support/factories.js';
import { type EventBody, feedBy, feedOf, readFeed } from '../../support/feeds.js';
import { type IssueBody, openIssue, pathOf, TIMESTAMP } from '../../support/issues.js';
import { award, comment, notePath, switchIssues } from '../../support/notes.js';
import { summaryOf } from '../../support/summaries.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

describe('Issues in the feeds', () => {
  let trellis: Trellis;
  let owner: Person;
  let guest: Person;
  let project: MadeProject;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
  });

  beforeEach(async () => {
    guest = await trellis.factories.user();
    project = await trellis.factories.project(owner, { visibilityLevel: 20 });
    await trellis.factories.addToProject(project, guest, 10);
  });

  /** Without the project's own one, which is the first of all. */
  const events = async (reader: Person | null = null) =>
    (await readFeed(trellis, reader, feedOf(project))).slice(0, -1);
  const told = async () =>
    (await events()).map((event) => [event.action_name, event.target_id, event.target_title]);
  const change = (issue: IssueBody, body: object) =>
    trellis.as(owner).put(pathOf(issue), body).expect(200);

  it('appear with all fields when they are opened, closed and reopened', async () => {
    const issue = await openIssue(trellis, guest, project, { title: 'First' });
    const opened = {
      title: null,
      project_id: project.id,
      action_name: 'opened',
      target_id: issue.id,
      target_type: 'Issue',
      target_title: 'First',
      author_id: guest.user.id,
      author_username: guest.user.username,
      author: summaryOf(trellis, guest),
      data: null,
      created_at: TIMESTAMP,
    };
    expect(await events()).toEqual([opened]);
    expect(await readFeed(trellis, owner, feedBy(guest))).toEqual([opened]);
    await change(issue, { state_event: 'close' });
    await change(issue, { state_event: 'close' });
    await change(issue, { state_event: 'reopen', title: 'Renamed' });
    expect(await told()).toEqual([
      ['opened', issue.id, 'Renamed'],
      ['closed', issue.id, 'Renamed'],
      ['opened', issue.id, 'Renamed'],
    ]);
  });

  it('appear with their notes', async () => {
    const issue = await openIssue(trellis, guest, project, { title: 'First' });
    await trellis.rows(`UPDATE projects SET last_activity_at = '2020-01-01' WHERE id = $1`, [
      project.id,
    ]);
    const note = await comment(trellis, guest, issue, 'Well done');
    const expected = {
      title: null,
      project_id: project.id,
      action_name: 'commented on',
      target_id: note.id,
      target_type: 'Note',
      target_title: 'First',
      author_id: guest.user.id,
      author_username: guest.user.username,
      author: summaryOf(trellis, guest),
      data: null,
      created_at: note.created_at,
      note,
    };
    const [first] = await events();
    expect(first).toEqual(expected);
    const [own] = await readFeed(trellis, owner, feedBy(guest));
    expect(own).toEqual(expected);
    const [row] = await trellis.rows(
      `SELECT last_activity_at > '2020-01-02' AS moved FROM projects WHERE id = $1`,
      [project.id],
    );
    expect(row).toEqual({ moved: true });
    const changed = await trellis.as(guest).put(notePath(issue, note), { body: 'Changed' });
    expect((await events())[0]).toEqual({ ...expected, note: changed.body as object });
  });

  it('do not appear for system notes, edits or awards', async () => {
    const issue = await openIssue(trellis, guest, project);
    const note = await comment(trellis, guest, issue);
    const before = await told();
    await change(issue, { title: 'Renamed', labels: 'one', assignee_id: guest.user.id });
    await award(trellis, owner, pathOf(issue), 'tada');
    await award(trellis, owner, notePath(issue, note), 'tada');
    await trellis.as(guest).put(notePath(issue, note), { body: 'Changed' }).expect(200);
    expect(await told()).toEqual(before.map(([action, id]) => [action, id, 'Renamed']));
  });

  it('do not appear for removed notes', async () => {
    const issue = await openIssue(trellis, guest, project, { title: 'First' });
    const note = await comment(trellis, guest, issue);
    const kept = await comment(trellis, guest, issue);
    await trellis.as(guest).delete(notePath(issue, note)).expect(200);
    expect(await told()).toEqual([
      ['commented on', kept.id, 'First'],
      ['opened', issue.id, 'First'],
    ]);
    expect(await readFeed(trellis, owner, feedBy(guest))).toHaveLength(2);
  });

  it('keep their events after deletion, without titles and texts', async () => {
    const issue = await openIssue(trellis, guest, project, { title: 'First' });
    const note = await comment(trellis, guest, issue, 'Said');
    await change(issue, { state_event: 'close' });
    await trellis.as(owner).delete(pathOf(issue)).expect(200);
    expect(await told()).toEqual([
      ['closed', issue.id, null],
      ['commented on', note.id, null],
      ['opened', issue.id, null],
    ]);
    expect(JSON.stringify(await events(owner))).not.toContain('Said');
    expect(await readFeed(trellis, guest, feedBy(guest))).toMatchObject([
      { target_id: note.id, target_type: 'Note', target_title: null },
      { target_id: issue.id, target_type: 'Issue', target_title: null },
    ]);
  });

  it('are hidden from all readers while issues are disabled', async () => {
    const admin = await trellis.factories.admin();
    const issue = await openIssue(trellis, owner, project);
    await comment(trellis, owner, issue);
    const readers = [null, guest, owner, admin];
    for (const enabled of [false, true]) {
      await switchIssues(trellis, project, enabled);
      const count = enabled ? 2 : 0;
      for (const reader of readers) expect(await events(reader)).toHaveLength(count);
      for (const reader of [guest, owner, admin]) {
        const own = await readFeed(trellis, reader, feedBy(owner));
        const here = own.filter(({ project_id: id }) => id === project.id);
        // The project was made too.
        expect(here).toHaveLength(count + 1);
      }
    }
  });

  it('name the ghost user instead of a deleted account', async () => {
    const admin = await trellis.factories.admin();
    const issue = await openIssue(trellis, guest, project, { title: 'First' });
    await comment(trellis, guest, issue, 'Farewell');
    await trellis
      .as(admin)
      .delete(`/users/${String(guest.user.id)}`)
      .expect(200);
    const ghost = { username: 'ghost', name: 'Ghost User' };
    expect(await events()).toMatchObject([
      { action_name: 'commented on', author: ghost, note: { body: 'Farewell', author: ghost } },
      { action_name: 'opened', author: ghost, target_title: 'First' },
    ]);
  });

  it('take the same number of statements for any number of events', async () => {
    const act = async (times: number) => {
      for (let done = 0; done < times; done += 1) {
        const author = await trellis.factories.user();
        await comment(trellis, author, await openIssue(trellis, author, project));
      }
    };
    const count = async (path: string) =>
      (
        await trellis.statements.during(() =>
          trellis.as(guest).get(`${path}?per_page=100`).expect(200),
        )
      ).length;
    const counts = async () => [await count(feedOf(project)), await count(feedBy(owner))];
    await comment(trellis, owner, await openIssue(trellis, owner, project));
    const few = await counts();
    await act(5);
    for (let done = 0; done < 5; done += 1) {
      await comment(trellis, owner, await openIssue(trellis, owner, project));
    }
    expect(await counts()).toEqual(few);
    for (const statements of few) expect(statements).toBeLessThanOrEqual(10);
  });

  it('are visible to readers of the issue alone, for every page size', async () => {
    const issue = await openIssue(trellis, owner, project);
    const hidden = await openIssue(trellis, owner, project, { confidential: true });
    for (const one of [issue, hidden, issue, hidden]) await comment(trellis, owner, one);
    const pages = async (reader: Person | null) => {
      const found: EventBody[] = [];
      for (let page = 1; ; page += 1) {
        const client = reader === null ? trellis.anonymous : trellis.as(reader);
        const { body, headers } = await client.get(
          `${feedOf(project)}?per_page=2&page=${String(page)}`,
        );
        found.push(...(body as EventBody[]));
        const { 'x-next-page': next, 'x-total': total } = headers as Record<string, string>;
        if (next === '') return { total: Number(total), count: found.length };
      }
    };
    expect(await pages(owner)).toEqual({ total: 7, count: 7 });
    for (const reader of [null, guest]) {
      expect(await pages(reader)).toEqual({ total: 4, count: 4 });
    }
  });
});
