import { discussionIdOf } from '../../../src/modules/issuables/notes/discussion.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { issuesOf, TIMESTAMP } from '../../support/issues.js';
import { addMergeRequests } from '../../support/merge-request-rows.js';
import { mergeRequestsOf } from '../../support/merge-requests.js';
import { Trellis } from '../../support/trellis.js';
import { basicUser } from '../../support/v4-bodies.js';

interface ShownNote {
  id: number;
  body: string;
  type: string | null;
  author: { web_url: string };
}

interface ShownDiscussion {
  id: string;
  individual_note: boolean;
  notes: ShownNote[];
}

const DISCUSSION_ID = /^[0-9a-f]{40}$/;

describe.each(['Issue', 'MergeRequest'] as const)('version 4 of discussions on one %s', (type) => {
  let trellis: Trellis;
  let owner: Person;
  let developer: Person;
  let reporter: Person;
  let stranger: Person;
  let project: MadeProject;
  let target: { id: number; iid: number };
  let path: string;
  let at: string;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    const { factories } = trellis;
    owner = await factories.user({ projectsLimit: 100 });
    developer = await factories.user();
    reporter = await factories.user();
    stranger = await factories.user();
  });

  beforeEach(async () => {
    const { factories } = trellis;
    project = await factories.project(owner, { visibilityLevel: 0 });
    await factories.addToProject(project, developer, 30);
    await factories.addToProject(project, reporter, 20);
    const table = type === 'Issue' ? 'issues' : 'merge_requests';
    const list = type === 'Issue' ? issuesOf(project) : mergeRequestsOf(project);
    let id: number;
    if (type === 'Issue') {
      const made = await trellis.as(owner).v4.post(list, { title: 'On it' }).expect(201);
      ({ id } = made.body as { id: number });
    } else {
      [id = 0] = await addMergeRequests(trellis, project, [{ authorId: owner.user.id }]);
    }
    const [row] = await trellis.rows<{ id: number; iid: number }>(
      `SELECT id, iid FROM ${table} WHERE id = $1`,
      [id],
    );
    target = row as { id: number; iid: number };
    path = `${list}/${String(target.iid)}`;
    at = `${path}/discussions`;
  });

  const v4 = (person: Person) => trellis.as(person).v4;
  const begin = async (body: string, person = owner): Promise<ShownDiscussion> =>
    (await v4(person).post(at, { body }).expect(201)).body as ShownDiscussion;
  const comment = async (body: string, person = owner): Promise<ShownNote> =>
    (await v4(person).post(`${path}/notes`, { body }).expect(201)).body as ShownNote;
  const list = async (query = '', person = owner): Promise<ShownDiscussion[]> =>
    (await v4(person).get(`${at}${query}`).expect(200)).body as ShownDiscussion[];
  const bodies = (discussions: readonly ShownDiscussion[]): string[][] =>
    discussions.map(({ notes }) => notes.map(({ body }) => body));

  it('begins a thread, which both versions list as a note', async () => {
    const thread = await begin('First');
    const [note] = thread.notes as [ShownNote];
    const url = new URL(note.author.web_url).origin;
    expect(thread).toEqual({
      id: expect.stringMatching(DISCUSSION_ID) as string,
      individual_note: false,
      notes: [
        {
          id: note.id,
          type: 'DiscussionNote',
          body: 'First',
          attachment: null,
          author: basicUser(owner, url),
          created_at: TIMESTAMP,
          updated_at: TIMESTAMP,
          system: false,
          noteable_id: target.id,
          noteable_type: type,
          project_id: project.id,
          resolvable: type === 'MergeRequest',
          ...(type === 'MergeRequest' && { resolved: false, resolved_by: null, resolved_at: null }),
          confidential: false,
          internal: false,
          imported: false,
          imported_from: 'none',
          noteable_iid: target.iid,
          commands_changes: {},
        },
      ],
    });
    expect((await v4(owner).get(`${at}/${thread.id}`).expect(200)).body).toEqual(thread);
    expect((await v4(owner).get(`${path}/notes`).expect(200)).body).toEqual(thread.notes);
    const list = type === 'Issue' ? issuesOf(project) : mergeRequestsOf(project);
    const old = await trellis
      .as(owner)
      .get(`${list}/${String(target.id)}/notes`)
      .expect(200);
    expect(old.body).toMatchObject([{ id: note.id, body: 'First' }]);
  });

  it('makes a thread of a note by a reply, and keeps its id', async () => {
    const note = await comment('Alone');
    const [single] = await list();
    expect(single).toMatchObject({ individual_note: true, notes: [{ id: note.id, type: null }] });
    const { id } = single as ShownDiscussion;
    const replied = await v4(developer).post(`${at}/${id}/notes`, { body: 'Reply' }).expect(201);
    expect(replied.body).toMatchObject({ body: 'Reply', type: 'DiscussionNote' });
    expect(await list()).toMatchObject([
      {
        id,
        individual_note: false,
        notes: [
          { id: note.id, body: 'Alone', type: 'DiscussionNote' },
          { body: 'Reply', type: 'DiscussionNote', author: { id: developer.user.id } },
        ],
      },
    ]);
    const notes = await v4(owner).get(`${at}/${id}/notes?per_page=1&page=2`).expect(200);
    expect(notes.body).toMatchObject([{ body: 'Reply' }]);
    expect(notes.headers['x-total']).toBe('2');
  });

  it('lists discussions by their oldest notes in pages, system notes by themselves', async () => {
    const first = await begin('a');
    await comment('b');
    await v4(owner).post(`${at}/${first.id}/notes`, { body: 'a2' }).expect(201);
    await trellis.rows(
      `INSERT INTO notes (project_id, noteable_type, noteable_id, author_id, body, system)
       VALUES ($1, $2, $3, $4, 'by the service', true)`,
      [project.id, type, target.id, owner.user.id],
    );
    expect(bodies(await list())).toEqual([['a', 'a2'], ['b'], ['by the service']]);
    const page = await v4(owner).get(`${at}?per_page=1&page=2`).expect(200);
    expect(bodies(page.body as ShownDiscussion[])).toEqual([['b']]);
    expect(page.headers['x-total']).toBe('3');
    expect(await list('?per_page=1&page=3')).toMatchObject([
      { individual_note: true, notes: [{ system: true, resolvable: false }] },
    ]);
  });

  it('changes and deletes the notes of a thread, whose id stays when its first note is deleted', async () => {
    const { id, notes } = await begin('a', developer);
    const [first] = notes as [ShownNote];
    const reply = await v4(owner).post(`${at}/${id}/notes`, { body: 'b' }).expect(201);
    const other = reply.body as ShownNote;
    const changed = await v4(developer)
      .put(`${at}/${id}/notes/${String(first.id)}`, { body: 'changed' })
      .expect(200);
    expect(changed.body).toMatchObject({ id: first.id, body: 'changed' });
    const there = `${at}/${id}/notes/${String(other.id)}`;
    expect((await v4(developer).put(there, { body: 'x' })).status).toBe(403);
    expect((await v4(developer).delete(there)).status).toBe(403);
    expect((await v4(owner).get(there).expect(200)).body).toMatchObject({ body: 'b' });
    await v4(owner)
      .delete(`${at}/${id}/notes/${String(first.id)}`)
      .expect(204);
    expect(await list()).toMatchObject([{ id, individual_note: false, notes: [{ body: 'b' }] }]);
    expect((await v4(owner).get(`${at}/${id}/notes/${String(first.id)}`)).status).toBe(404);
    await v4(owner).post(`${at}/${id}/notes`, { body: 'c' }).expect(201);
    expect(bodies(await list())).toEqual([['b', 'c']]);
    await v4(owner).delete(there).expect(204);
    expect(bodies(await list())).toEqual([['c']]);
  });

  it('refuses missing and blank texts, unknown discussions, and notes of other ones', async () => {
    const { id, notes } = await begin('a');
    const other = await begin('b');
    const missing = await v4(owner).post(at, {}).expect(400);
    expect(missing.body).toEqual({ error: 'body is missing' });
    const blank = await v4(owner).post(`${at}/${id}/notes`, { body: ' ' }).expect(400);
    expect(blank.body).toEqual({ error: 'body is empty' });
    for (const unknown of [
      '1',
      'f'.repeat(40),
      // Of notes beyond the largest ID.
      discussionIdOf(2 ** 31),
      discussionIdOf(2 ** 60),
      `${id.slice(0, 39)}${id.endsWith('0') ? '1' : '0'}`,
    ]) {
      const absent = await v4(owner).get(`${at}/${unknown}`).expect(404);
      expect(absent.body).toEqual({ message: '404 Discussion Not Found' });
      expect((await v4(owner).post(`${at}/${unknown}/notes`, { body: 'x' })).status).toBe(404);
    }
    const [{ id: noteId }] = notes as [ShownNote];
    expect((await v4(owner).get(`${at}/${other.id}/notes/${String(noteId)}`)).status).toBe(404);
    expect((await v4(owner).delete(`${at}/${other.id}/notes/${String(noteId)}`)).status).toBe(404);
    const nothing = await v4(owner)
      .put(`${at}/${id}/notes/${String(noteId)}`, {})
      .expect(400);
    expect(nothing.body).toEqual({
      error: 'body, resolved are missing, exactly one parameter must be provided',
    });
    const both = await v4(owner)
      .put(`${at}/${id}/notes/${String(noteId)}`, { body: 'x', resolved: true })
      .expect(400);
    expect(both.body).toEqual({ error: 'body, resolved are mutually exclusive' });
    expect((await v4(stranger).get(at)).status).toBe(404);
    expect((await v4(stranger).post(at, { body: 'x' })).status).toBe(404);
    expect((await trellis.anonymous.v4.get(at)).status).toBe(401);
  });

  it('heeds times of owners alone', async () => {
    const created_at = '2020-01-02T03:04:05.000Z';
    const { notes } = (await v4(owner).post(at, { body: 'a', created_at }).expect(201))
      .body as ShownDiscussion;
    expect(notes).toMatchObject([{ created_at }]);
    const other = (await v4(developer).post(at, { body: 'b', created_at }).expect(201))
      .body as ShownDiscussion;
    expect(other.notes).not.toMatchObject([{ created_at }]);
  });

  it('refuses more replies than a thread may have', async () => {
    const { id, notes } = await begin('a');
    await trellis.rows(
      `INSERT INTO notes (project_id, noteable_type, noteable_id, author_id, body, type, discussion_id, is_reply)
       SELECT $1, $2, $3, $4, 'more', 'DiscussionNote', $5, true FROM generate_series(1, 198)`,
      [project.id, type, target.id, owner.user.id, (notes[0] as ShownNote).id],
    );
    await v4(owner).post(`${at}/${id}/notes`, { body: 'last' }).expect(201);
    const full = await v4(owner).post(`${at}/${id}/notes`, { body: 'too many' }).expect(400);
    expect(full.body).toEqual({
      message: '400 Bad request - Discussion can not be replied to: it has 200 comments',
    });
    expect(((await list())[0] as ShownDiscussion).notes).toHaveLength(200);
  });

  it('refuses more text than a thread may have', async () => {
    const { id, notes } = await begin('a');
    const [first] = notes as [ShownNote];
    await trellis.rows(
      `INSERT INTO notes (project_id, noteable_type, noteable_id, author_id, body, type, discussion_id, is_reply)
       SELECT $1, $2, $3, $4, repeat('x', 1048576), 'DiscussionNote', $5, true FROM generate_series(1, 4)`,
      [project.id, type, target.id, owner.user.id, first.id],
    );
    const message = '400 Bad request - Discussion can not be replied to: its comments are too long';
    const reply = await v4(owner).post(`${at}/${id}/notes`, { body: 'x' }).expect(400);
    expect(reply.body).toEqual({ message });
    const path = `${at}/${id}/notes/${String(first.id)}`;
    expect((await v4(owner).put(path, { body: 'longer' }).expect(400)).body).toEqual({ message });
    expect((await v4(owner).get(path).expect(200)).body).toMatchObject({ body: 'a' });
  });

  it('makes no threads of notes that the service wrote', async () => {
    const [row] = await trellis.rows<{ id: number }>(
      `INSERT INTO notes (project_id, noteable_type, noteable_id, author_id, body, system)
       VALUES ($1, $2, $3, $4, 'closed', true) RETURNING id`,
      [project.id, type, target.id, owner.user.id],
    );
    const id = discussionIdOf((row as { id: number }).id);
    const refused = await v4(owner).post(`${at}/${id}/notes`, { body: 'x' }).expect(400);
    expect(refused.body).toEqual({
      message: '400 Bad request - Discussion can not be replied to',
    });
    expect((await v4(owner).get(`${at}/${id}`).expect(200)).body).toMatchObject({
      individual_note: true,
      notes: [{ body: 'closed' }],
    });
  });

  it('makes one thread of a note that several reply to at once', async () => {
    const note = await comment('Alone');
    const [single] = (await list()) as [ShownDiscussion];
    const replies = await Promise.all(
      ['1', '2', '3', '4'].map((body) =>
        v4(developer).post(`${at}/${single.id}/notes`, { body }).expect(201),
      ),
    );
    const [thread, ...others] = await list();
    expect(others).toEqual([]);
    expect(thread).toMatchObject({ id: single.id, individual_note: false });
    expect(thread?.notes.map(({ id }) => id)).toEqual(
      [note.id, ...replies.map(({ body }) => (body as ShownNote).id)].sort((a, b) => a - b),
    );
  });

  it('takes as many statements for many threads as for few', async () => {
    await begin('a');
    const countStatements = async (): Promise<number> =>
      (await trellis.statements.during(() => list())).length;
    const few = await countStatements();
    for (const body of ['b', 'c', 'd']) {
      const { id } = await begin(body, developer);
      await v4(reporter)
        .post(`${at}/${id}/notes`, { body: `${body}2` })
        .expect(201);
    }
    expect(await countStatements()).toBe(few);
  });

  if (type === 'Issue') {
    it('keeps threads of issues that are moved, also without their first notes', async () => {
      const first = await begin('a');
      await v4(owner).post(`${at}/${first.id}/notes`, { body: 'a2' }).expect(201);
      await comment('b');
      const second = await begin('c');
      await v4(owner).post(`${at}/${second.id}/notes`, { body: 'c2' }).expect(201);
      await v4(owner)
        .delete(`${at}/${second.id}/notes/${String((second.notes[0] as ShownNote).id)}`)
        .expect(204);
      const other = await trellis.factories.project(owner, { visibilityLevel: 0 });
      const moved = await v4(owner).post(`${path}/move`, { to_project_id: other.id }).expect(201);
      const { iid } = moved.body as { iid: number };
      const there = `${issuesOf(other)}/${String(iid)}/discussions`;
      const { body } = await v4(owner).get(there).expect(200);
      const threads = body as ShownDiscussion[];
      expect(bodies(threads).slice(0, 3)).toEqual([['a', 'a2'], ['b'], ['c2']]);
      expect(threads.slice(0, 3).map((one) => one.individual_note)).toEqual([false, true, false]);
      const [copy] = threads as [ShownDiscussion];
      await v4(owner).post(`${there}/${copy.id}/notes`, { body: 'a3' }).expect(201);
      const replied = await v4(owner).get(`${there}/${copy.id}`).expect(200);
      expect(bodies([replied.body as ShownDiscussion])).toEqual([['a', 'a2', 'a3']]);
    });
  }
});
