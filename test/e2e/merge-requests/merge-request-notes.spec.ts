import { ROLES, type Role } from '../../support/cast.js';
import type { Person } from '../../support/factories.js';
import { type EventBody, feedBy, feedOf, readFeed } from '../../support/feeds.js';
import { answerOnCode } from '../../support/filled-cast.js';
import { TIMESTAMP } from '../../support/issues.js';
import {
  type BranchedCast,
  makeBranchedCast,
  type MergeRequestBody,
  openMergeRequest,
  pathOf,
  todosFor,
} from '../../support/merge-requests.js';
import { award, type NoteBody } from '../../support/notes.js';
import { summaryOf } from '../../support/summaries.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

describe('Notes on merge requests', () => {
  let trellis: Trellis;
  let cast: BranchedCast;
  let owner: Person;
  let request: MergeRequestBody;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    cast = await makeBranchedCast(trellis);
    owner = cast.people.owner as Person;
  });
  beforeEach(async () => {
    request = await opened(20);
  });

  const person = (role: Role) => cast.people[role] as Person;
  const opened = (visibility: 0 | 20, body: object = {}) =>
    openMergeRequest(trellis, owner, cast.projects[visibility], {
      source_branch: cast.fresh(),
      ...body,
    });
  const notesOf = (at: MergeRequestBody) => `${pathOf(at)}/notes`;
  const comment = async (by: Person, body = 'A note', at = request) =>
    (await trellis.as(by).post(notesOf(at), { body }).expect(200)).body as NoteBody;

  it('are read and written by readers of the request', async () => {
    for (const visibility of [0, 20] as const) {
      const at = await opened(visibility);
      for (const role of ROLES) {
        const caller = cast.people[role];
        const client = caller === null ? trellis.anonymous : trellis.as(caller);
        const reads = answerOnCode(role, visibility);
        // Whoever may not read the request is not told that there are notes.
        const status = reads === 403 ? 404 : reads;
        const answers = [
          await client.get(notesOf(at)),
          await client.post(notesOf(at), { body: 'Hello' }),
          await client.get(`${pathOf(at)}/comments`),
          await client.post(`${pathOf(at)}/comments`, { note: 'Hello' }),
          await client.get(`${pathOf(at)}/award_emoji`),
          await client.post(`${pathOf(at)}/award_emoji`, { name: 'tada' }),
        ].map((answer) => answer.status);
        expect([role, ...answers]).toEqual([role, ...answers.map(() => status)]);
      }
    }
  });

  it('return 404 with the name of the missing resource', async () => {
    const guest = trellis.as(person('guest'));
    const hidden = await opened(0);
    const nowhere = { ...request, id: 2_147_483_647 };
    for (const [at, client] of [
      [hidden, guest],
      [nowhere, trellis.as(owner)],
    ] as const) {
      for (const [path, message] of [
        [notesOf(at), '404 Notes Not Found'],
        [`${notesOf(at)}/1`, '404 Note Not Found'],
        [`${pathOf(at)}/comments`, '404 Notes Not Found'],
        [`${pathOf(at)}/award_emoji`, '404 Award Emoji Not Found'],
      ] as const) {
        const { body } = await client.get(path).expect(404);
        expect([path, body]).toEqual([path, { message }]);
      }
    }
    const note = await comment(owner);
    const other = await opened(20);
    const elsewhere = await trellis
      .as(owner)
      .get(`${notesOf(other)}/${String(note.id)}`)
      .expect(404);
    expect(elsewhere.body).toEqual({ message: '404 Not found' });
    const blank = await trellis.as(owner).post(notesOf(request), { body: ' ' }).expect(400);
    expect(blank.body).toEqual({ message: '400 (Bad request) "body" not given' });
    const none = await trellis
      .as(owner)
      .post(`${pathOf(request)}/comments`, {})
      .expect(400);
    expect(none.body).toEqual({ error: 'note is missing' });
  });

  it('are created, updated and deleted', async () => {
    const [reporter, developer] = [person('reporter'), person('developer')];
    const note = await comment(reporter, 'First');
    expect(note).toEqual({
      id: expect.any(Number),
      body: 'First',
      attachment: null,
      author: summaryOf(trellis, reporter),
      created_at: TIMESTAMP,
      updated_at: TIMESTAMP,
      system: false,
      noteable_id: request.id,
      noteable_type: 'MergeRequest',
      upvote: false,
      downvote: false,
    });
    const path = `${notesOf(request)}/${String(note.id)}`;
    await trellis.as(developer).put(path, { body: 'Theirs' }).expect(403);
    await trellis.as(developer).delete(path).expect(403);
    const changed = await trellis.as(reporter).put(path, { body: 'Second' }).expect(200);
    expect(changed.body).toMatchObject({ id: note.id, body: 'Second' });
    expect((await trellis.as(developer).get(path).expect(200)).body).toEqual(changed.body);
    const counted = await trellis.as(reporter).get(pathOf(request)).expect(200);
    expect(counted.body).toMatchObject({ user_notes_count: 1, subscribed: true });
    await trellis.as(person('master')).delete(path).expect(200);
    expect((await trellis.as(owner).get(notesOf(request)).expect(200)).body).toEqual([]);
  });

  it('are also served by the old pair of endpoints', async () => {
    const made = await trellis
      .as(person('reporter'))
      .post(`${pathOf(request).replace('requests', 'request')}/comments`, {
        note: ':tada: is fine',
      })
      .expect(200);
    const told = { note: ':tada: is fine', author: summaryOf(trellis, person('reporter')) };
    expect(made.body).toEqual(told);
    await trellis.as(owner).put(pathOf(request), { title: 'Renamed' }).expect(200);
    const { body, headers } = await trellis
      .as(owner)
      .get(`${pathOf(request)}/comments`)
      .expect(200);
    expect(body).toEqual([
      told,
      {
        note: 'changed title from **Add a topic** to **Renamed**',
        author: summaryOf(trellis, owner),
      },
    ]);
    expect(headers).toMatchObject({ 'x-total': '2' });
  });

  it('finish the todos of their author and create todos of others', async () => {
    const reporter = person('reporter');
    await trellis
      .as(reporter)
      .post(`${pathOf(request)}/todo`)
      .expect(200);
    await comment(reporter, `@${person('developer').user.username}, have a look`);
    const author_id = reporter.user.id;
    expect(await todosFor(trellis, request)).toEqual([
      { user_id: author_id, action: 'marked', state: 'done', author_id },
      { user_id: person('developer').user.id, action: 'mentioned', state: 'pending', author_id },
    ]);
  });

  it('are awarded emoji, like merge requests', async () => {
    const reporter = person('reporter');
    const up = await award(trellis, reporter, pathOf(request), '+1');
    expect(up).toMatchObject({
      ...{ name: 'thumbsup', awardable_id: request.id, awardable_type: 'MergeRequest' },
    });
    const read = await trellis.as(owner).get(pathOf(request)).expect(200);
    expect(read.body).toMatchObject({ upvotes: 1, downvotes: 0 });
    await trellis
      .as(owner)
      .post(`${pathOf(request)}/award_emoji`, { name: '-1' })
      .expect(404);
    const note = await comment(owner);
    const path = `${notesOf(request)}/${String(note.id)}`;
    const given = await award(trellis, reporter, path, 'tada');
    expect(given).toMatchObject({ awardable_id: note.id, awardable_type: 'Note' });
    const single = `${path}/award_emoji/${String(given.id)}`;
    expect((await trellis.as(owner).get(single).expect(200)).body).toEqual(given);
    expect((await trellis.as(owner).get(`${path}/award_emoji`).expect(200)).body).toEqual([given]);
    await trellis.as(person('developer')).delete(single).expect(401);
    await trellis.as(reporter).delete(single).expect(200);
    const own = `${pathOf(request)}/award_emoji/${String(up.id)}`;
    expect((await trellis.as(owner).get(own).expect(200)).body).toEqual(up);
    await trellis.as(reporter).delete(own).expect(200);
    const emoji = await trellis.as(reporter).post(notesOf(request), { body: ':tada:' }).expect(200);
    expect(emoji.body).toMatchObject({ name: 'tada', awardable_type: 'MergeRequest' });
  });

  describe('in the feeds', () => {
    const about = (events: EventBody[], { id }: { id: number }) =>
      events
        .filter(({ target_type, target_id }) => target_type === 'MergeRequest' && target_id === id)
        .map(({ action_name }) => action_name);

    it('appear together with their requests', async () => {
      const note = await comment(person('reporter'), 'Said');
      await trellis.as(owner).put(pathOf(request), { state_event: 'close' }).expect(200);
      const events = await readFeed(trellis, null, feedOf(cast.projects[20]));
      expect(about(events, request)).toEqual(['closed', 'opened']);
      expect(events[1]).toMatchObject({
        ...{ action_name: 'commented on', target_type: 'Note', target_title: 'Add a topic' },
        note: { id: note.id, body: 'Said', noteable_type: 'MergeRequest' },
      });
      await trellis.as(owner).delete(pathOf(request)).expect(200);
      const left = await readFeed(trellis, null, feedOf(cast.projects[20]));
      expect(left[0]).toMatchObject({ action_name: 'closed', target_title: null });
    });

    it('are hidden from users without access', async () => {
      const guest = person('guest');
      const [hidden, theirs] = [await opened(0), await opened(0, { assignee_id: guest.user.id })];
      const seen = async (reader: Person | null, path: string) => {
        const events = await readFeed(trellis, reader, path);
        return [about(events, hidden).length, about(events, theirs).length];
      };
      for (const path of [feedOf(cast.projects[0]), feedBy(owner)]) {
        expect(await seen(person('reporter'), path)).toEqual([1, 1]);
        expect(await seen(guest, path)).toEqual([0, 1]);
        expect(await seen(person('admin'), path)).toEqual([1, 1]);
      }
      expect(await seen(person('stranger'), feedBy(owner))).toEqual([0, 0]);
      const path = `/projects/${String(cast.projects[0].id)}`;
      await trellis.as(owner).put(path, { merge_requests_enabled: false }).expect(200);
      expect(await seen(owner, feedOf(cast.projects[0]))).toEqual([0, 0]);
      expect(await seen(owner, feedBy(owner))).toEqual([0, 0]);
      await trellis.as(owner).put(path, { merge_requests_enabled: true }).expect(200);
    });
  });
});
