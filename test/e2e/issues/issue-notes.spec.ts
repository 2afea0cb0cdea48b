import { expectByRole } from '../../support/by-role.js';
import { type Cast, makeCast, type Role } from '../../support/cast.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { type IssueBody, openIssue, pathOf, TIMESTAMP, todosFor } from '../../support/issues.js';
import {
  comment,
  type NoteBody,
  notePath,
  notesOf,
  readIssue,
  switchIssues,
} from '../../support/notes.js';
import { summaryOf } from '../../support/summaries.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

const NOWHERE = { id: 2_000_000_000, project_id: 2_000_000_000 };

describe('Notes on issues', () => {
  let trellis: Trellis;
  let cast: Cast;
  let project: MadeProject;
  let issue: IssueBody;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    cast = await makeCast(trellis);
    project = cast.projects[20];
  });

  const person = (role: Role) => cast.people[role] as Person;

  beforeEach(async () => {
    issue = await openIssue(trellis, person('owner'), project);
  });

  const list = async (by: Person = person('owner')) =>
    (await trellis.as(by).get(notesOf(issue)).expect(200)).body as NoteBody[];
  const bodies = async () => (await list()).map(({ body }) => body);

  it('require a credential, well-formed parameters, a project and an issue of that project', async () => {
    const owner = trellis.as(person('owner'));
    await trellis.anonymous.get(notesOf(issue)).expect(401);
    await trellis.anonymous.post(notesOf(issue), { body: 'x' }).expect(401);
    for (const [input, error] of [
      [{}, 'body is missing'],
      [{ body: null }, 'body is missing'],
      [{ body: ['x'] }, 'body is invalid'],
      [{ body: 'x\0' }, 'body is invalid'],
      [{ body: 'x', created_at: 'yesterday' }, 'created_at is invalid'],
    ] as const) {
      expect((await owner.post(notesOf(NOWHERE), input).expect(400)).body).toEqual({ error });
    }
    const noProject = await owner.post(notesOf(NOWHERE), { body: 'x' }).expect(404);
    expect(noProject.body).toEqual({ message: '404 Project Not Found' });
    for (const body of ['', ' \n\t ']) {
      const blank = await owner.post(notesOf(issue), { body }).expect(400);
      expect(blank.body).toEqual({ message: '400 (Bad request) "body" not given' });
    }
    const long = await owner.post(notesOf(issue), { body: 'x'.repeat(1024 * 1024 + 1) });
    expect([long.status, long.body]).toEqual([
      400,
      { message: { note: ['is too long (maximum is 1048576 characters)'] } },
    ]);
    const there = await openIssue(trellis, person('owner'), cast.projects[10]);
    const note = await comment(trellis, person('owner'), there);
    for (const id of [2_000_000_000, there.id]) {
      const absent = { id, project_id: project.id };
      const none = await owner.get(notesOf(absent)).expect(404);
      expect(none.body).toEqual({ message: '404 Notes Not Found' });
      const refusals = [
        await owner.post(notesOf(absent), { body: 'x' }),
        await owner.get(notePath(absent, note)),
        await owner.put(notePath(absent, note), { body: 'x' }),
        await owner.delete(notePath(absent, note)),
      ];
      for (const { status, body } of refusals) {
        expect([status, body]).toEqual([404, { message: '404 Note Not Found' }]);
      }
    }
    expect(await list()).toEqual([]);
  });

  it('are created by every reader of the issue, and read back unchanged', async () => {
    const guest = person('guest');
    const note = await comment(trellis, guest, issue, ' *Well* <b>said</b> 日本語 \u202e ');
    expect(note).toEqual({
      id: expect.any(Number) as number,
      body: ' *Well* <b>said</b> 日本語 \u202e ',
      attachment: null,
      author: summaryOf(trellis, guest),
      created_at: TIMESTAMP,
      updated_at: note.created_at,
      system: false,
      noteable_id: issue.id,
      noteable_type: 'Issue',
      upvote: false,
      downvote: false,
    });
    expect(await list()).toEqual([note]);
    const read = await trellis.as(guest).get(notePath(issue, note)).expect(200);
    expect(read.body).toEqual(note);
    const rows = await trellis.rows('SELECT project_id, system FROM notes WHERE id = $1', [
      note.id,
    ]);
    expect(rows).toEqual([{ project_id: project.id, system: false }]);
  });

  it('update the issue, subscribe their author and finish the author’s todo', async () => {
    const stranger = person('stranger');
    await trellis
      .as(stranger)
      .post(`${pathOf(issue)}/todo`)
      .expect(200);
    await trellis.rows(`UPDATE issues SET updated_at = '2020-01-01' WHERE id = $1`, [issue.id]);
    const note = await comment(trellis, stranger, issue, `@${person('guest').user.username}, look`);
    const { updated_at: updatedAt, ...rest } = await readIssue(trellis, stranger, issue);
    expect(updatedAt >= note.created_at).toBe(true);
    expect(rest).toMatchObject({ user_notes_count: 1, subscribed: true });
    expect(await todosFor(trellis, issue)).toEqual([
      {
        ...{ user_id: stranger.user.id, author_id: stranger.user.id },
        ...{ action: 'marked', state: 'done' },
      },
      {
        ...{ user_id: person('guest').user.id, author_id: stranger.user.id },
        ...{ action: 'mentioned', state: 'pending' },
      },
    ]);
  });

  it('mention other issues, once for each pair', async () => {
    const other = await openIssue(trellis, person('owner'), project);
    await comment(trellis, person('guest'), issue, `see #${String(other.iid)}`);
    await comment(trellis, person('guest'), issue, `again, #${String(other.iid)}`);
    const { body } = await trellis.as(person('guest')).get(notesOf(other)).expect(200);
    expect(body).toMatchObject([
      {
        body: `mentioned in issue #${String(issue.iid)}`,
        system: true,
        author: { id: person('guest').user.id },
      },
    ]);
  });

  it('of two issues that mention each other concurrently are all created', async () => {
    const other = await openIssue(trellis, person('owner'), project);
    await Promise.all(
      Array.from({ length: 4 }, async () => {
        await Promise.all([
          comment(trellis, person('guest'), issue, `see #${String(other.iid)}`),
          comment(trellis, person('developer'), other, `see #${String(issue.iid)}`),
        ]);
      }),
    );
    for (const one of [issue, other]) {
      const { body } = await trellis.as(person('guest')).get(notesOf(one)).expect(200);
      const systems = (body as NoteBody[]).map(({ system }) => system).sort();
      expect(systems).toEqual([false, false, false, false, true]);
    }
  });

  it('accept a creation time from owners and administrators', async () => {
    const created_at = '2016-02-29T12:00:00+02:00';
    const made = async (role: Role) => {
      const input = { body: `of ${role}`, created_at };
      const { body } = await trellis.as(person(role)).post(notesOf(issue), input).expect(200);
      return body as NoteBody;
    };
    for (const role of ['owner', 'admin'] as const) {
      expect(await made(role)).toMatchObject({
        created_at: '2016-02-29T10:00:00.000Z',
        updated_at: '2016-02-29T10:00:00.000Z',
      });
    }
    for (const role of ['stranger', 'master'] as const) {
      const { created_at: at } = await made(role);
      expect(at > '2020').toBe(true);
    }
  });

  it('are listed oldest first, in pages, with system notes', async () => {
    await comment(trellis, person('guest'), issue, 'first');
    await trellis.as(person('owner')).put(pathOf(issue), { state_event: 'close' }).expect(200);
    await comment(trellis, person('stranger'), issue, 'last');
    expect(await bodies()).toEqual(['first', 'closed', 'last']);
    const second = await trellis
      .as(person('guest'))
      .get(`${notesOf(issue)}?per_page=2&page=2`)
      .expect(200);
    expect(second.body).toMatchObject([{ body: 'last', system: false }]);
    expect(second.headers).toMatchObject({ 'x-total': '3', 'x-total-pages': '2', 'x-page': '2' });
    expect((await list())[1]).toMatchObject({
      ...{ body: 'closed', system: true, noteable_id: issue.id },
      author: summaryOf(trellis, person('owner')),
    });
    expect(await readIssue(trellis, person('guest'), issue)).toMatchObject({ user_notes_count: 2 });
  });

  it('are written with few statements', async () => {
    const write = () => comment(trellis, person('owner'), issue, 'Counted');
    await write();
    // The caller with the access; the issue; begin, the note, the todo that it makes done; its event and commit.
    expect(await trellis.statements.costOf(write)).toEqual({ statements: 7, roundTrips: 4 });
  });

  it('take the same number of statements for any number of notes', async () => {
    const count = async () =>
      (
        await trellis.statements.during(() =>
          trellis
            .as(person('guest'))
            .get(`${notesOf(issue)}?per_page=100`)
            .expect(200),
        )
      ).length;
    const origins: number[] = [];
    for (let made = 0; made < 3; made += 1) {
      origins.push((await openIssue(trellis, person('owner'), project)).id);
    }
    const mention = (ids: number[]) =>
      trellis.rows(
        `INSERT INTO notes (project_id, noteable_type, noteable_id, author_id, body, system,
                            origin_type, origin_project_id, origin_id)
         SELECT $1, 'Issue', $2, $3, 'mentioned', true, 'Issue', $1, id FROM unnest($4::int[]) id`,
        [project.id, issue.id, person('owner').user.id, ids],
      );
    await comment(trellis, person('guest'), issue);
    await mention(origins.slice(0, 1));
    const few = await count();
    await trellis.rows(
      `INSERT INTO notes (project_id, noteable_type, noteable_id, author_id, body)
       SELECT $1, 'Issue', $2, id, 'text' FROM unnest($3::int[]) id`,
      [project.id, issue.id, await trellis.factories.crowd(60)],
    );
    await mention(origins.slice(1));
    expect(await list()).toHaveLength(20);
    expect(await count()).toBe(few);
    expect(few).toBeLessThanOrEqual(9);
  });

  it('are read and written by every reader of the project', async () => {
    const made = new Map<number, IssueBody>();
    for (const one of Object.values(cast.projects)) {
      made.set(one.id, await openIssue(trellis, person('owner'), one));
    }
    await expectByRole(trellis, cast, (client, { id }) => client.get(notesOf(made.get(id)!)));
    await expectByRole(trellis, cast, (client, { id }) =>
      client.post(notesOf(made.get(id)!), { body: 'A note' }),
    );
  });

  it('are not found where issues are disabled', async () => {
    const owner = trellis.as(person('owner'));
    const note = await comment(trellis, person('owner'), issue);
    await switchIssues(trellis, project, false);
    try {
      const none = await owner.get(notesOf(issue)).expect(404);
      expect(none.body).toEqual({ message: '404 Notes Not Found' });
      await owner.get(notePath(issue, note)).expect(404);
      await owner.post(notesOf(issue), { body: 'x' }).expect(403);
      await owner.put(notePath(issue, note), { body: 'x' }).expect(403);
      await owner.delete(notePath(issue, note)).expect(403);
    } finally {
      await switchIssues(trellis, project, true);
    }
    expect(await list()).toEqual([note]);
  });

  it('are deleted with their issue, including notes written concurrently', async () => {
    const note = await comment(trellis, person('guest'), issue);
    const statuses = await Promise.all([
      ...Array.from({ length: 4 }, () =>
        trellis.as(person('guest')).post(notesOf(issue), { body: 'late' }),
      ),
      trellis.as(person('owner')).delete(pathOf(issue)),
      ...Array.from({ length: 4 }, () =>
        trellis.as(person('guest')).post(`${pathOf(issue)}/award_emoji`, { name: 'tada' }),
      ),
    ]);
    expect(statuses.filter(({ status }) => ![200, 404].includes(status))).toEqual([]);
    for (const path of [notesOf(issue), notePath(issue, note)]) {
      await trellis.as(person('owner')).get(path).expect(404);
    }
    const awards = await trellis.rows(
      `SELECT 1 FROM award_emoji WHERE awardable_type = 'Issue' AND awardable_id = $1`,
      [issue.id],
    );
    expect(awards).toEqual([]);
  });
});
