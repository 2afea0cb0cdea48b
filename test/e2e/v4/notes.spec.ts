import type { MadeProject, Person } from '../../support/factories.js';
import { issuesOf, TIMESTAMP } from '../../support/issues.js';
import { addMergeRequests } from '../../support/merge-request-rows.js';
import { mergeRequestsOf } from '../../support/merge-requests.js';
import { Trellis } from '../../support/trellis.js';
import { basicUser } from '../../support/v4-bodies.js';

interface Shown {
  id: number;
  body: string;
}

describe.each(['Issue', 'MergeRequest'] as const)('version 4 of what is on one %s', (type) => {
  let trellis: Trellis;
  let owner: Person;
  let developer: Person;
  let stranger: Person;
  let project: MadeProject;
  let target: { id: number; iid: number };
  let path: string;
  let oldPath: string;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    const { factories } = trellis;
    owner = await factories.user();
    developer = await factories.user();
    stranger = await factories.user();
    project = await factories.project(owner, { visibilityLevel: 0 });
    await factories.addToProject(project, developer, 30);
    const list = type === 'Issue' ? issuesOf(project) : mergeRequestsOf(project);
    if (type === 'Issue') {
      await trellis.as(owner).v4.post(list, { title: 'Before' }).expect(201);
      target = (await trellis.as(owner).v4.post(list, { title: 'On it' }).expect(201)).body as {
        id: number;
        iid: number;
      };
    } else {
      const [, id] = await addMergeRequests(trellis, project, [
        { authorId: owner.user.id },
        { authorId: owner.user.id },
      ]);
      const [row] = await trellis.rows<{ iid: number }>(
        'SELECT iid FROM merge_requests WHERE id = $1',
        [id],
      );
      target = { id: id as number, iid: (row as { iid: number }).iid };
    }
    path = `${list}/${String(target.iid)}`;
    oldPath = `${list}/${String(target.id)}`;
  });

  const v4 = (person: Person) => trellis.as(person).v4;
  const comment = async (body: string, person = owner): Promise<Shown> =>
    (await v4(person).post(`${path}/notes`, { body }).expect(201)).body as Shown;
  const bodies = async (query: string): Promise<string[]> => {
    const { body } = await v4(owner).get(`${path}/notes?${query}`).expect(200);
    return (body as Shown[]).map((note) => note.body);
  };

  it('shows a note as the entity, and as version 3 shows the same row', async () => {
    const note = await comment(':tada:');
    const url = trellisUrl((await v4(owner).get(`${path}/notes/${String(note.id)}`)).body);
    expect(note).toEqual({
      id: note.id,
      type: null,
      body: ':tada:',
      attachment: null,
      author: basicUser(owner, url),
      created_at: TIMESTAMP,
      updated_at: TIMESTAMP,
      system: false,
      noteable_id: target.id,
      noteable_type: type,
      project_id: project.id,
      resolvable: false,
      confidential: false,
      internal: false,
      imported: false,
      imported_from: 'none',
      noteable_iid: target.iid,
      commands_changes: {},
    });
    const old = await trellis
      .as(owner)
      .get(`${oldPath}/notes/${String(note.id)}`)
      .expect(200);
    expect(old.body).toMatchObject({ id: note.id, body: ':tada:', noteable_id: target.id });
  });

  it('lists notes, the newest first, in the order and of the kind that is asked for', async () => {
    const first = await comment('first');
    await comment('second');
    await trellis.rows(`UPDATE notes SET updated_at = now() + interval '1 day' WHERE id = $1`, [
      first.id,
    ]);
    await trellis.rows(
      `INSERT INTO notes (project_id, noteable_type, noteable_id, author_id, body, system)
       VALUES ($1, $2, $3, $4, 'by the service', true)`,
      [project.id, type, target.id, owner.user.id],
    );
    expect((await bodies('')).slice(0, 3)).toEqual(['by the service', 'second', 'first']);
    expect((await bodies('sort=asc')).slice(-3)).toEqual(['first', 'second', 'by the service']);
    expect((await bodies('order_by=updated_at'))[0]).toBe('first');
    expect(await bodies('activity_filter=only_activity')).toEqual(['by the service']);
    expect(await bodies('activity_filter=only_comments')).not.toContain('by the service');
    expect(await bodies('per_page=1&page=2')).toEqual(['second']);
    const refused = await v4(owner).get(`${path}/notes?sort=down`).expect(400);
    expect(refused.body).toEqual({ error: 'sort does not have a valid value' });
  });

  it('changes and deletes notes; of others for maintainers', async () => {
    const note = await comment('mine', developer);
    const at = `${path}/notes/${String(note.id)}`;
    const changed = await v4(owner).put(at, { body: 'theirs' }).expect(200);
    expect(changed.body).toMatchObject({ body: 'theirs', author: { id: developer.user.id } });
    const other = await comment('of the owner');
    const there = `${path}/notes/${String(other.id)}`;
    expect((await v4(developer).put(there, { body: 'x' })).status).toBe(403);
    await v4(developer).delete(at).expect(204);
    expect((await v4(developer).get(at)).status).toBe(404);
  });

  it('refuses blank notes, and readers who may not see what they are on', async () => {
    const missing = await v4(owner).post(`${path}/notes`, {}).expect(400);
    expect(missing.body).toEqual({ error: 'body is missing' });
    const blank = await v4(owner).post(`${path}/notes`, { body: ' ' }).expect(400);
    expect(blank.body).toEqual({ error: 'body is empty' });
    expect((await v4(stranger).get(`${path}/notes`)).status).toBe(404);
  });

  it('awards emoji, votes of the author among them, and once', async () => {
    const awards = `${path}/award_emoji`;
    const made = await v4(owner).post(awards, { name: '+1' }).expect(201);
    const { id } = made.body as { id: number };
    expect(made.body).toEqual({
      id,
      name: 'thumbsup',
      user: expect.objectContaining({ id: owner.user.id, locked: false }) as object,
      created_at: TIMESTAMP,
      updated_at: TIMESTAMP,
      awardable_id: target.id,
      awardable_type: type,
      url: null,
    });
    const again = await v4(owner).post(awards, { name: 'thumbsup' }).expect(404);
    expect(again.body).toEqual({
      message: '404 Award Emoji Name has already been taken Not Found',
    });
    const old = await trellis.as(owner).post(`${oldPath}/award_emoji`, { name: 'thumbsup' });
    expect([old.status, old.body]).toEqual([404, { message: '404 Award Emoji Not Found' }]);
    expect((await v4(developer).get(awards).expect(200)).body).toMatchObject([{ id }]);
    expect((await v4(developer).delete(`${awards}/${String(id)}`)).status).toBe(401);
    await v4(owner)
      .delete(`${awards}/${String(id)}`)
      .expect(204);
    expect((await v4(owner).get(`${awards}/${String(id)}`)).status).toBe(404);
    const note = await comment('to award');
    const onNote = `${path}/notes/${String(note.id)}/award_emoji`;
    const given = await v4(developer).post(onNote, { name: 'tada' }).expect(201);
    expect(given.body).toMatchObject({ awardable_type: 'Note', awardable_id: note.id });
    expect((await v4(owner).get(onNote).expect(200)).body).toMatchObject([{ name: 'tada' }]);
  });

  it('subscribes and unsubscribes, with 304 where nothing changes', async () => {
    const subscribed = await v4(developer).post(`${path}/subscribe`).expect(201);
    expect(subscribed.body).toMatchObject({ iid: target.iid, subscribed: true });
    expect((await v4(developer).post(`${path}/subscribe`)).status).toBe(304);
    const ended = await v4(developer).post(`${path}/unsubscribe`).expect(201);
    expect(ended.body).toMatchObject({ subscribed: false });
    expect((await v4(developer).post(`${path}/unsubscribe`)).status).toBe(304);
  });

  it('raises todos, and marks one or all as done', async () => {
    const raised = await v4(developer).post(`${path}/todo`).expect(201);
    const { id, target_url } = raised.body as { id: number; target_url: string };
    const segment = type === 'Issue' ? 'issues' : 'merge_requests';
    expect(raised.body).toMatchObject({
      project: { id: project.id, path_with_namespace: `${owner.user.username}/${project.path}` },
      author: { id: developer.user.id },
      action_name: 'marked',
      target_type: type,
      target: { id: target.id, iid: target.iid },
      state: 'pending',
      created_at: TIMESTAMP,
    });
    expect(target_url).toContain(`/-/${segment}/${String(target.iid)}`);
    expect((await v4(developer).post(`${path}/todo`)).status).toBe(304);
    const pending = await v4(developer).get(`/todos?type=${type}`).expect(200);
    expect(pending.body).toMatchObject([{ id }]);
    const done = await v4(developer)
      .post(`/todos/${String(id)}/mark_as_done`)
      .expect(201);
    expect(done.body).toMatchObject({ id, state: 'done' });
    await v4(developer).post(`${path}/todo`).expect(201);
    await v4(developer).post('/todos/mark_as_done').expect(204);
    expect((await v4(developer).get('/todos').expect(200)).body).toEqual([]);
    expect((await v4(developer).get('/todos?state=x')).status).toBe(400);
  });
});

const trellisUrl = (note: unknown): string =>
  new URL((note as { author: { web_url: string } }).author.web_url).origin;
