import type { Person } from '../../support/factories.js';
import { TIMESTAMP } from '../../support/issues.js';
import { type MergePlace, Merging } from '../../support/merging.js';
import { memberOf } from '../../support/pushed-refs.js';
import { Trellis } from '../../support/trellis.js';

interface Note {
  id: number;
  body: string;
}

interface Discussion {
  id: string;
  notes: [Note];
}

const lines = (...names: string[]): string => names.map((name) => `${name}\n`).join('');

describe('version 4 of discussions on commits', () => {
  let trellis: Trellis;
  let merging: Merging;
  let place: MergePlace;
  let developer: Person;
  let reporter: Person;
  let parent: string;
  let sha: string;
  let path: string;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    merging = await Merging.begin(trellis);
    place = await merging.place();
    developer = await memberOf(trellis, place.project, 30);
    reporter = await memberOf(trellis, place.project, 20);
    parent = await place.commit('master', { file: 'text', content: lines('one', 'two', 'three') });
  });
  beforeEach(async () => {
    const content = lines('one', 'new', 'three', String(Math.random()));
    parent = await place.commit('master', {
      file: 'text',
      content: lines('one', 'two', 'three'),
      message: `Reset ${content}`,
    });
    sha = await place.commit('master', { file: 'text', content });
    path = place.path(`/repository/commits/${sha}/discussions`);
  });
  afterAll(async () => {
    await merging.end();
    await trellis.restore();
  });

  const v4 = (person: Person) => trellis.as(person).v4;
  const position = (change: object = {}) => ({
    base_sha: parent,
    start_sha: parent,
    head_sha: sha,
    position_type: 'text',
    old_path: 'text',
    new_path: 'text',
    old_line: null,
    new_line: 2,
    ...change,
  });

  it('shows comments of both versions, and makes them', async () => {
    const comments = place.path(`/repository/commits/${sha}/comments`);
    await trellis.as(reporter).post(comments, { note: 'First' }).expect(200);
    const onLine = { note: 'Second', path: 'text', line: 2, line_type: 'new' };
    await trellis.as(reporter).post(comments, onLine).expect(200);
    const made = await v4(developer).post(path, { body: 'Third' }).expect(201);
    const { body } = await v4(reporter).get(path).expect(200);
    expect(body).toMatchObject([
      { individual_note: true, notes: [{ body: 'First', type: null }] },
      {
        individual_note: false,
        notes: [{ body: 'Second', type: 'DiffNote', position: position() }],
      },
      made.body as object,
    ]);
    const { id, notes } = made.body as Discussion;
    expect(id).toMatch(/^[0-9a-f]{40}$/);
    expect(notes).toEqual([
      {
        id: notes[0].id,
        type: null,
        body: 'Third',
        attachment: null,
        author: expect.objectContaining({ id: developer.user.id }) as object,
        created_at: TIMESTAMP,
        updated_at: TIMESTAMP,
        system: false,
        noteable_id: null,
        noteable_type: 'Commit',
        project_id: place.project.id,
        commit_id: sha,
        resolvable: false,
        confidential: false,
        internal: false,
        imported: false,
        imported_from: 'none',
        noteable_iid: null,
        commands_changes: {},
      },
    ]);
    expect((await v4(reporter).get(`${path}/${id}`).expect(200)).body).toEqual(made.body);
    expect((await v4(reporter).get(`${path}/${id}/notes`).expect(200)).body).toEqual(notes);
    const listed = await trellis.as(reporter).get(comments).expect(200);
    expect(listed.body).toMatchObject([{ note: 'First' }, { note: 'Second' }, { note: 'Third' }]);
  });

  it('comments on lines that the difference shows alone', async () => {
    for (const lines of [{}, { old_line: 2, new_line: null }, { old_line: 1, new_line: 1 }]) {
      const made = await v4(reporter).post(path, { body: 'Why?', position: position(lines) });
      expect([made.status, made.body]).toMatchObject([
        201,
        { notes: [{ type: 'DiffNote', position: position(lines) }] },
      ]);
    }
    const comments = place.path(`/repository/commits/${sha}/comments`);
    expect((await trellis.as(reporter).get(comments).expect(200)).body).toMatchObject([
      { path: 'text', line: 2, line_type: 'new' },
      { path: 'text', line: 2, line_type: 'old' },
      { path: 'text', line: 1, line_type: 'new' },
    ]);
    for (const wrong of [
      { new_line: 30 },
      { new_path: 'x', old_path: 'x' },
      { head_sha: parent },
    ]) {
      const refused = await v4(reporter).post(path, { body: 'x', position: position(wrong) });
      expect([refused.status, refused.body]).toEqual([
        400,
        {
          message:
            '400 Bad request - Note {:line_code=>["can\'t be blank", "must be a valid line code"]}',
        },
      ]);
    }
  });

  it('refuses replies, blank texts, unknown discussions and strangers', async () => {
    const { id, notes } = (await v4(reporter).post(path, { body: 'x' }).expect(201))
      .body as Discussion;
    const reply = await v4(developer).post(`${path}/${id}/notes`, { body: 'y' }).expect(400);
    expect(reply.body).toEqual({
      message: '400 Bad request - Discussion can not be replied to.',
    });
    expect((await v4(reporter).post(path, {}).expect(400)).body).toEqual({
      error: 'body is missing',
    });
    expect((await v4(reporter).post(path, { body: ' ' })).status).toBe(400);
    const unknown = await v4(reporter)
      .get(`${path}/${'f'.repeat(40)}`)
      .expect(404);
    expect(unknown.body).toEqual({ message: '404 Discussion Not Found' });
    expect((await v4(reporter).get(`${path}/${id}/notes/${String(notes[0].id + 1)}`)).status).toBe(
      404,
    );
    const elsewhere = place.path(`/repository/commits/${parent}/discussions/${id}`);
    expect((await v4(reporter).get(elsewhere)).status).toBe(404);
    expect((await v4(await trellis.factories.user()).get(path)).status).toBe(404);
    expect((await trellis.anonymous.v4.get(path)).status).toBe(401);
  });

  it('changes and deletes comments; of others for maintainers', async () => {
    const { id, notes } = (await v4(developer).post(path, { body: 'x' }).expect(201))
      .body as Discussion;
    const at = `${path}/${id}/notes/${String(notes[0].id)}`;
    expect((await v4(reporter).put(at, { body: 'y' })).status).toBe(403);
    expect((await v4(reporter).delete(at)).status).toBe(403);
    const changed = await v4(developer).put(at, { body: 'y' }).expect(200);
    expect(changed.body).toMatchObject({ id: notes[0].id, body: 'y' });
    expect((await v4(place.owner).get(at).expect(200)).body).toEqual(changed.body);
    await v4(place.owner).delete(at).expect(204);
    expect((await v4(developer).get(`${path}/${id}`)).status).toBe(404);
    expect((await v4(developer).delete(at)).status).toBe(404);
  });
});
