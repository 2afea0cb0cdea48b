import { AccountErasure } from '../../../src/modules/users/index.js';
import { expectByRole, MASTERS } from '../../support/by-role.js';
import { type Cast, makeCast, type Role } from '../../support/cast.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { type IssueBody, openIssue, pathOf, todosFor } from '../../support/issues.js';
import {
  award,
  comment,
  type NoteBody,
  notePath,
  notesOf,
  readIssue,
} from '../../support/notes.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

describe('Updates of notes on issues', () => {
  let trellis: Trellis;
  let cast: Cast;
  let project: MadeProject;
  let issue: IssueBody;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    cast = await makeCast(trellis);
    project = cast.projects[20];
    issue = await openIssue(trellis, cast.people.owner as Person, project);
  });

  const person = (role: Role) => cast.people[role] as Person;
  const guest = () => trellis.as(person('guest'));
  const tracesOf = async ({ id }: NoteBody) => {
    const [row] = await trellis.rows(
      `SELECT (SELECT count(*)::int FROM notes WHERE id = $1) AS notes,
              (SELECT count(*)::int FROM events
                WHERE target_type = 'IssueNote' AND target_id = $1) AS events,
              (SELECT count(*)::int FROM award_emoji
                WHERE awardable_type = 'Note' AND awardable_id = $1) AS awards,
              (SELECT count(*)::int FROM mentions WHERE note_id = $1) AS mentions`,
      [id],
    );
    return row;
  };

  it('require a credential, a text and an existing note', async () => {
    const note = await comment(trellis, person('guest'), issue, 'Original');
    const path = notePath(issue, note);
    await trellis.anonymous.put(path, { body: 'x' }).expect(401);
    await trellis.anonymous.delete(path).expect(401);
    expect((await guest().put(path).expect(400)).body).toEqual({ error: 'body is missing' });
    const blank = await guest().put(path, { body: ' ' }).expect(400);
    expect(blank.body).toEqual({ message: '400 (Bad request) "body" not given' });
    const other = await openIssue(trellis, person('owner'), project);
    for (const absent of [notePath(other, note), notePath(issue, { id: 2_000_000_000 })]) {
      const refusals = [
        await guest().get(absent),
        await guest().put(absent, { body: 'x' }),
        await guest().delete(absent),
      ];
      for (const { status, body } of refusals) {
        expect([status, body]).toEqual([404, { message: '404 Not found' }]);
      }
    }
    expect((await guest().get(path).expect(200)).body).toEqual(note);
  });

  it('are allowed to the author at any level, and to masters', async () => {
    const made = new Map<number, [IssueBody, NoteBody]>();
    for (const one of Object.values(cast.projects)) {
      const on = await openIssue(trellis, person('owner'), one);
      made.set(one.id, [on, await comment(trellis, person('owner'), on)]);
    }
    const path = ({ id }: MadeProject) => notePath(...made.get(id)!);
    await expectByRole(
      trellis,
      cast,
      (client, { id }) => client.put(path({ id } as MadeProject), { body: 'Changed' }),
      MASTERS,
    );
    for (const [role, status] of [
      ['reporter', 403],
      ['developer', 403],
      ['guest', 200],
      ['master', 200],
    ] as const) {
      const theirs = notePath(issue, await comment(trellis, person('guest'), issue));
      await trellis
        .as(person(role))
        .put(theirs, { body: `of ${role}` })
        .expect(status);
      await trellis.as(person(role)).delete(theirs).expect(status);
      if (status === 403) await guest().get(theirs).expect(200);
    }
    await expectByRole(
      trellis,
      cast,
      async (client, { id }) => {
        const [on] = made.get(id)!;
        const note = await comment(trellis, person('owner'), on);
        return client.delete(notePath(on, note));
      },
      MASTERS,
    );
  });

  it('replace the text and the time of the update, and keep order and author', async () => {
    const note = await comment(trellis, person('guest'), issue, 'Original');
    await trellis.rows(`UPDATE notes SET updated_at = '2020-01-01' WHERE id = $1`, [note.id]);
    const path = notePath(issue, note);
    const same = await guest().put(path, { body: 'Original' }).expect(200);
    expect(same.body).toEqual({ ...note, updated_at: '2020-01-01T00:00:00.000Z' });
    const { body } = await trellis.as(person('master')).put(path, { body: 'Changed' }).expect(200);
    const changed = body as NoteBody;
    expect(changed).toEqual({ ...note, body: 'Changed', updated_at: changed.updated_at });
    expect(changed.updated_at > note.updated_at).toBe(true);
    expect((await guest().get(path).expect(200)).body).toEqual(changed);
    expect(await tracesOf(note)).toMatchObject({ events: 1 });
  });

  it('update the mentions of the note', async () => {
    const on = await openIssue(trellis, person('owner'), project);
    const note = await comment(trellis, person('guest'), on, 'Nobody');
    const body = `@${person('reporter').user.username} and #${String(issue.iid)}`;
    await guest().put(notePath(on, note), { body }).expect(200);
    expect(await todosFor(trellis, on)).toMatchObject([
      { user_id: person('reporter').user.id, action: 'mentioned', state: 'pending' },
    ]);
    expect(await tracesOf(note)).toMatchObject({ mentions: 1 });
    const { body: notes } = await guest()
      .get(`${notesOf(issue)}?per_page=100`)
      .expect(200);
    const told = (notes as NoteBody[]).map((one) => one.body);
    expect(told).toContain(`mentioned in issue #${String(on.iid)}`);
    await guest().put(notePath(on, note), { body: 'Nobody' }).expect(200);
    expect(await tracesOf(note)).toMatchObject({ mentions: 0 });
  });

  it('are refused for system notes', async () => {
    const on = await openIssue(trellis, person('guest'), project);
    await guest().put(pathOf(on), { title: 'Another title' }).expect(200);
    const [system] = (await guest().get(notesOf(on)).expect(200)).body as [NoteBody];
    expect(system).toMatchObject({ system: true });
    for (const role of ['guest', 'master'] as const) {
      const kept = await trellis.as(person(role)).put(notePath(on, system), { body: 'Mine' });
      expect([kept.status, kept.body]).toEqual([200, system]);
    }
    await trellis.as(person('reporter')).put(notePath(on, system), { body: 'Mine' }).expect(403);
    expect((await guest().get(notesOf(on)).expect(200)).body).toEqual([system]);
  });

  it('include removal, with the event, awards and mentions', async () => {
    const text = `@${person('reporter').user.username}`;
    const note = await comment(trellis, person('guest'), issue, text);
    await award(trellis, person('owner'), notePath(issue, note), 'tada');
    expect(await tracesOf(note)).toEqual({ notes: 1, events: 1, awards: 1, mentions: 1 });
    const before = await readIssue(trellis, person('guest'), issue);
    const removed = await guest().delete(notePath(issue, note)).expect(200);
    expect(removed.body).toEqual(note);
    expect(await tracesOf(note)).toEqual({ notes: 0, events: 0, awards: 0, mentions: 0 });
    const after = await readIssue(trellis, person('guest'), issue);
    expect(after.user_notes_count).toBe(before.user_notes_count - 1);
    await guest().get(notePath(issue, note)).expect(404);
    await guest().delete(notePath(issue, note)).expect(404);
  });

  it('remove a note once for concurrent requests, with awards given meanwhile', async () => {
    const note = await comment(trellis, person('guest'), issue);
    const path = notePath(issue, note);
    const removals = Array.from({ length: 3 }, () => guest().delete(path));
    const changes = Array.from({ length: 3 }, (_, index) =>
      guest().put(path, { body: `change ${String(index)}` }),
    );
    const awards = (['owner', 'reporter', 'developer'] as const).map((role) =>
      trellis.as(person(role)).post(`${path}/award_emoji`, { name: 'tada' }),
    );
    const answers = await Promise.all([...removals, ...changes, ...awards]);
    expect(answers.filter(({ status }) => ![200, 404].includes(status))).toEqual([]);
    expect(
      answers
        .slice(0, 3)
        .map(({ status }) => status)
        .sort(),
    ).toEqual([200, 404, 404]);
    expect(await tracesOf(note)).toEqual({ notes: 0, events: 0, awards: 0, mentions: 0 });
  });

  it('hand notes of an erased author to the ghost user in chunks', async () => {
    const gone = await trellis.factories.user();
    const on = await openIssue(trellis, person('owner'), project);
    await trellis.rows(
      `INSERT INTO notes (project_id, noteable_type, noteable_id, author_id, body)
       SELECT $1, 'Issue', $2, $3, 'Farewell ' || n FROM generate_series(1, 1100) n`,
      [project.id, on.id, gone.user.id],
    );
    await trellis
      .as(person('admin'))
      .delete(`/users/${String(gone.user.id)}`)
      .expect(200);
    const ghost = { username: 'ghost', name: 'Ghost User' };
    const read = async () =>
      (
        await guest()
          .get(`${notesOf(on)}?per_page=1`)
          .expect(200)
      ).body as unknown;
    expect(await read()).toMatchObject([{ body: 'Farewell 1', author: ghost }]);
    const [{ id: ghostId }] = (await trellis.rows('SELECT id FROM users WHERE ghost')) as [
      { id: number },
    ];
    const { steps } = trellis.app.get(AccountErasure);
    const step = steps.find(({ name }) => name === 'NotesRepository.handOver');
    expect(await step?.run(gone.user.id, ghostId)).toBe(true);
    expect(await step?.run(gone.user.id, ghostId)).toBe(false);
    expect(await read()).toMatchObject([{ body: 'Farewell 1', author: { id: ghostId, ...ghost } }]);
    const authors = await trellis.rows(
      `SELECT author_id, count(*)::int AS count FROM notes
        WHERE noteable_type = 'Issue' AND noteable_id = $1 GROUP BY 1`,
      [on.id],
    );
    expect(authors).toEqual([{ author_id: ghostId, count: 1100 }]);
  });
});
