import { eraseAtOnce } from '../../support/erasure.js';
import { untilJobsRan } from '../../support/due-jobs.js';
import type { Person } from '../../support/factories.js';
import { type MergePlace, Merging, type RequestBody } from '../../support/merging.js';
import { memberOf } from '../../support/pushed-refs.js';
import { meetBeforeWriting, waitingFor, whileLocked } from '../../support/table-lock.js';
import { Trellis } from '../../support/trellis.js';
import { until } from '../../support/until.js';

jest.setTimeout(240_000);

interface Draft {
  id: number;
  author_id: number;
  merge_request_id: number;
  resolve_discussion: boolean;
  discussion_id: string | null;
  note: string;
  commit_id: string | null;
  line_code: string | null;
  position: Record<string, unknown>;
}

interface Thread {
  id: string;
  notes: { body: string; resolved?: boolean }[];
}

const NO_POSITION = {
  base_sha: null,
  start_sha: null,
  head_sha: null,
  old_path: null,
  new_path: null,
  position_type: 'text',
  old_line: null,
  new_line: null,
  line_range: null,
};
const MAY_NOT_RESOLVE = { message: { base: ['User is not allowed to resolve thread'] } };
const NO_THREAD = { message: { base: ['Thread to reply to cannot be found'] } };

describe('draft notes', () => {
  let trellis: Trellis;
  let merging: Merging;
  let place: MergePlace;
  let request: RequestBody;
  let owner: Person;
  let developer: Person;
  let reporter: Person;

  beforeAll(async () => {
    trellis = await Trellis.shared({ runsJobs: true });
    merging = await Merging.begin(trellis);
    place = await merging.place({ visibilityLevel: 0 });
    owner = place.owner;
    developer = await memberOf(trellis, place.project, 30);
    reporter = await memberOf(trellis, place.project, 20);
  });
  beforeEach(async () => {
    request = await place.propose({ by: developer });
  });
  afterAll(async () => {
    await merging.end();
    await trellis.restore();
  });

  const v4 = (person: Person) => trellis.as(person).v4;
  const at = (rest = '') => place.path(`/merge_requests/${String(request.iid)}${rest}`);
  const drafts = (rest: string | number = '') =>
    at(`/draft_notes${rest === '' ? '' : `/${String(rest)}`}`);
  const draft = async (note: string, fields: object = {}, by = owner): Promise<Draft> =>
    (
      await v4(by)
        .post(drafts(), { note, ...fields })
        .expect(201)
    ).body as Draft;
  const list = async (by = owner): Promise<string[]> =>
    ((await v4(by).get(drafts()).expect(200)).body as Draft[]).map(({ note }) => note);
  const begin = async (body: string, by = owner): Promise<Thread> =>
    (await v4(by).post(at('/discussions'), { body }).expect(201)).body as Thread;
  const threads = async (): Promise<Thread[]> =>
    (await v4(owner).get(at('/discussions')).expect(200)).body as Thread[];
  const bodies = async (): Promise<string[]> => {
    const rows = await trellis.rows<{ body: string }>(
      `SELECT body FROM notes WHERE noteable_type = 'MergeRequest' AND noteable_id = $1
          AND NOT system ORDER BY id`,
      [request.id],
    );
    return rows.map(({ body }) => body);
  };

  it('are written, read, changed and deleted by their author', async () => {
    const made = await draft('First');
    expect(made).toEqual({
      id: made.id,
      author_id: owner.user.id,
      merge_request_id: request.id,
      resolve_discussion: false,
      discussion_id: null,
      note: 'First',
      commit_id: null,
      line_code: null,
      position: NO_POSITION,
    });
    const second = await draft('Second', { commit_id: request.sha });
    expect(second.commit_id).toBe(request.sha);
    const read = await v4(owner).get(drafts(made.id)).expect(200);
    expect(read.body).toEqual(made);
    const changed = await v4(owner).put(drafts(made.id), { note: 'Other' }).expect(200);
    expect(changed.body).toEqual({ ...made, note: 'Other' });
    expect(await list()).toEqual(['Other', 'Second']);
    await v4(owner).delete(drafts(made.id)).expect(204);
    await v4(owner).delete(drafts(made.id)).expect(404);
    expect(await list()).toEqual(['Second']);
    expect(await bodies()).toEqual([]);
  });

  it('refuse blank texts, unknown commits and positions, and discussions that do not exist', async () => {
    const refused = async (fields: object, body?: object) => {
      const answer = await v4(owner).post(drafts(), { note: 'Text', ...fields });
      expect([fields, answer.status]).toEqual([fields, 400]);
      if (body !== undefined) expect(answer.body).toEqual(body);
    };
    await refused({ note: ' ' });
    await refused({ commit_id: 'bad' }, { error: 'commit_id is invalid' });
    await refused({ commit_id: 'a'.repeat(40) }, { error: 'commit_id is invalid' });
    await refused({ in_reply_to_discussion_id: 'b'.repeat(40) }, NO_THREAD);
    await refused({ resolve_discussion: true }, MAY_NOT_RESOLVE);
    await refused({ resolve_discussion: true, in_reply_to_discussion_id: '1' }, MAY_NOT_RESOLVE);
    await v4(owner).post(drafts(), {}).expect(400);
    const { id } = await begin('Why?');
    const answer = await v4(reporter).post(drafts(), {
      ...{ note: 'So', in_reply_to_discussion_id: id, resolve_discussion: true },
    });
    expect([answer.status, answer.body]).toEqual([400, MAY_NOT_RESOLVE]);
    expect(await list()).toEqual([]);
  });

  it('are visible to their author only, also for administrators', async () => {
    const { id } = await draft('Secret');
    const admin = await trellis.factories.admin();
    for (const person of [developer, reporter, admin]) {
      expect(await list(person)).toEqual([]);
      await v4(person).get(drafts(id)).expect(404);
      await v4(person).put(drafts(id), { note: 'Mine' }).expect(404);
      await v4(person)
        .put(drafts(`${String(id)}/publish`))
        .expect(404);
      await v4(person).delete(drafts(id)).expect(404);
      await v4(person).post(drafts('bulk_publish')).expect(204);
    }
    const stranger = await trellis.factories.user();
    await v4(stranger).get(drafts()).expect(404);
    await v4(stranger).post(drafts(), { note: 'Mine' }).expect(404);
    expect(await list()).toEqual(['Secret']);
    expect(await bodies()).toEqual([]);
    const shown = JSON.stringify((await v4(developer).get(at('/notes')).expect(200)).body);
    expect(shown).not.toContain('Secret');
  });

  it('belong to one merge request', async () => {
    const { id } = await draft('Here');
    const other = await place.propose();
    const path = place.path(`/merge_requests/${String(other.iid)}/draft_notes`);
    await v4(owner)
      .get(`${path}/${String(id)}`)
      .expect(404);
    await v4(owner)
      .put(`${path}/${String(id)}/publish`)
      .expect(404);
    expect((await v4(owner).get(path).expect(200)).body).toEqual([]);
  });

  it('become notes when they are published, with todos of those whom they mention', async () => {
    const one = await draft(`For @${reporter.user.username}`);
    await draft('Later');
    const todos = () =>
      trellis.rows(`SELECT 1 FROM todos WHERE user_id = $1 AND target_id = $2`, [
        reporter.user.id,
        request.id,
      ]);
    expect(await todos()).toHaveLength(0);
    await v4(owner)
      .put(drafts(`${String(one.id)}/publish`))
      .expect(204);
    await v4(owner)
      .put(drafts(`${String(one.id)}/publish`))
      .expect(404);
    expect(await todos()).toHaveLength(1);
    expect(await bodies()).toEqual([one.note]);
    expect(await list()).toEqual(['Later']);
    const { body } = await v4(reporter).get(at('/notes')).expect(200);
    expect(body).toMatchObject([{ body: one.note, author: { id: owner.user.id }, type: null }]);
  });

  it('are published together in their order, in their discussions, which they resolve', async () => {
    const { id } = await begin('Why?', developer);
    await draft('Alone');
    const reply = await draft('Because', {
      in_reply_to_discussion_id: id,
      resolve_discussion: true,
    });
    expect(reply).toMatchObject({ discussion_id: id, resolve_discussion: true });
    const refs = await v4(owner).get(at()).expect(200);
    const { diff_refs } = refs.body as { diff_refs: object };
    const changes = await v4(owner).get(at('/changes')).expect(200);
    const [file] = (changes.body as { changes: { new_path: string }[] }).changes;
    const position = {
      ...diff_refs,
      position_type: 'text',
      new_path: file?.new_path,
      old_path: file?.new_path,
      new_line: 1,
    };
    const placed = await draft('On the line', { position });
    expect(placed.position).toMatchObject({ ...position, old_line: null });
    await v4(owner).post(drafts('bulk_publish')).expect(204);
    await v4(owner).post(drafts('bulk_publish')).expect(204);
    expect(await list()).toEqual([]);
    expect(await bodies()).toEqual(['Why?', 'Alone', 'Because', 'On the line']);
    const shown = (await threads()).filter(
      ({ notes }) => !/^(?:resolved|added)/.test(notes[0]?.body ?? ''),
    );
    expect(shown).toMatchObject([
      {
        id,
        notes: [
          { body: 'Why?', resolved: true },
          { body: 'Because', resolved: true },
        ],
      },
      { individual_note: true, notes: [{ body: 'Alone' }] },
      { individual_note: false, notes: [{ body: 'On the line', type: 'DiffNote', position }] },
    ]);
  });

  it('stand by themselves if their discussion is deleted before they are published', async () => {
    const { id, notes } = await begin('Why?');
    await draft('So', { in_reply_to_discussion_id: id });
    const [first] = notes as unknown as { id: number }[];
    await v4(owner)
      .delete(at(`/notes/${String(first?.id)}`))
      .expect(204);
    await v4(owner).post(drafts('bulk_publish')).expect(204);
    expect(await bodies()).toEqual(['So']);
  });

  it('are all published in one transaction, or none of them', async () => {
    const { id } = await begin('Why?');
    await draft('One');
    await draft('Two', { in_reply_to_discussion_id: id });
    await draft('Three');
    await trellis.rows(
      `INSERT INTO notes (project_id, noteable_type, noteable_id, author_id, body, type, discussion_id, is_reply)
       SELECT project_id, noteable_type, noteable_id, author_id, 'more', type, discussion_id, true
         FROM notes, generate_series(1, 199) WHERE noteable_id = $1 AND body = 'Why?'`,
      [request.id],
    );
    const { body } = await v4(owner).post(drafts('bulk_publish')).expect(400);
    expect((body as { message: string }).message).toMatch(/it has 200 comments/);
    expect(await list()).toEqual(['One', 'Two', 'Three']);
    expect(await bodies()).toHaveLength(200);
    await trellis.rows(`DELETE FROM notes WHERE body = 'more' AND noteable_id = $1`, [request.id]);
    const { answer } = await whileLocked(trellis, 'events', async () => {
      const sent = v4(owner)
        .post(drafts('bulk_publish'))
        .then(({ status }) => status);
      await until(async () => (await waitingFor(trellis, 'events')).length > 0);
      expect(await bodies()).toEqual(['Why?']);
      expect(await list()).toEqual(['One', 'Two', 'Three']);
      return { answer: sent };
    });
    expect(await answer).toBe(204);
    expect(await bodies()).toEqual(['Why?', 'One', 'Two', 'Three']);
  });

  it('are published once when that is asked for twice at the same time', async () => {
    await draft('One');
    await draft('Two');
    const publish = () => v4(owner).post(drafts('bulk_publish'));
    const answers = await meetBeforeWriting(trellis, 'notes', [publish(), publish()]);
    expect(answers.map(({ status }) => status)).toEqual([204, 204]);
    expect(await bodies()).toEqual(['One', 'Two']);
  });

  it('carry out their quick actions when they are published', async () => {
    const one = await draft('Not now.\n/draft');
    await draft('/close\n/approve');
    await v4(developer).get(at()).expect(200);
    expect((await place.read(request)).title).toBe(request.title);
    await v4(owner).post(drafts('bulk_publish')).expect(204);
    const { body } = await v4(owner).get(at()).expect(200);
    expect(body).toMatchObject({ title: `Draft: ${request.title}`, state: 'closed' });
    expect(await bodies()).toEqual(['Not now.']);
    expect(one.note).toBe('Not now.\n/draft');
    const again = await draft('/reopen');
    await v4(owner)
      .put(drafts(`${String(again.id)}/publish`))
      .expect(204);
    expect((await place.read(request)).state).toBe('reopened');
    expect(await list()).toEqual([]);
  });

  it('are not written, changed or published where the discussion is locked for their author', async () => {
    const open = await merging.place({ visibilityLevel: 20 });
    const proposed = await open.propose({ by: open.owner });
    const stranger = await trellis.factories.user();
    const to = open.path(`/merge_requests/${String(proposed.iid)}`);
    const { body } = await v4(stranger).post(`${to}/draft_notes`, { note: 'Mine' }).expect(201);
    const one = `${to}/draft_notes/${String((body as Draft).id)}`;
    await v4(open.owner).put(to, { discussion_locked: true }).expect(200);

    await v4(stranger).post(`${to}/draft_notes`, { note: 'More' }).expect(403);
    await v4(stranger).put(one, { note: 'Changed' }).expect(403);
    await v4(stranger).put(`${one}/publish`).expect(403);
    await v4(stranger).post(`${to}/draft_notes/bulk_publish`).expect(403);
    await v4(open.owner).post(`${to}/draft_notes`, { note: 'A member' }).expect(201);
    await v4(open.owner).post(`${to}/draft_notes/bulk_publish`).expect(204);
    const notes = (await v4(open.owner).get(`${to}/notes`).expect(200)).body as { body: string }[];
    expect(notes.map((note) => note.body)).toContain('A member');
    expect(notes.map((note) => note.body)).not.toContain('Mine');

    await v4(stranger).get(one).expect(200);
    await v4(stranger).delete(one).expect(204);
  });

  it('are 100 of one author on a merge request at most, also when they come at once', async () => {
    await trellis.rows(
      `INSERT INTO draft_notes (merge_request_id, author_id, body)
       SELECT $1, $2, 'x' FROM generate_series(1, 99)`,
      [request.id, owner.user.id],
    );
    const create = () => v4(owner).post(drafts(), { note: 'More' });
    const answers = await meetBeforeWriting(trellis, 'draft_notes', [create(), create()]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400]);
    const refused = answers.find(({ status }) => status === 400);
    const message = { base: ['A merge request may have 100 draft notes of one author'] };
    expect(refused?.body).toEqual({ message });
    await draft('Mine', {}, developer);
  });

  it('have 4 MiB of text together at most', async () => {
    const text = 'x'.repeat(1024 * 1024);
    for (let count = 0; count < 4; count += 1) await draft(text);
    const answer = await v4(owner).post(drafts(), { note: 'more' }).expect(400);
    const message = { base: ['Draft notes of a merge request may have 4 MiB of text'] };
    expect(answer.body).toEqual({ message });
  });

  it('are deleted with their merge request and their author', async () => {
    await draft('Owner');
    const author = await memberOf(trellis, place.project, 30);
    await draft('Author', {}, author);
    const rows = () =>
      trellis.rows<{ body: string }>(
        'SELECT body FROM draft_notes WHERE merge_request_id = $1 ORDER BY id',
        [request.id],
      );
    eraseAtOnce(trellis);
    const admin = await trellis.factories.admin();
    await trellis
      .as(admin)
      .delete(`/users/${String(author.user.id)}`)
      .expect(200);
    await untilJobsRan(trellis, async () => (await rows()).length === 1);
    expect(await rows()).toEqual([{ body: 'Owner' }]);
    await v4(owner).delete(at()).expect(204);
    expect(await rows()).toEqual([]);
  });
});
