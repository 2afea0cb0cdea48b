import { runJobsOf } from '../../support/due-jobs.js';
import { eraseAtOnce } from '../../support/erasure.js';
import type { Person } from '../../support/factories.js';
import { issuesOf, TIMESTAMP } from '../../support/issues.js';
import { type MergePlace, Merging, type RequestBody } from '../../support/merging.js';
import { memberOf } from '../../support/pushed-refs.js';
import { Trellis } from '../../support/trellis.js';
import { until } from '../../support/until.js';

jest.setTimeout(120_000);

interface Note {
  id: number;
  body: string;
  system: boolean;
  type: string | null;
}

interface Discussion {
  id: string;
  notes: Note[];
}

interface Shown {
  state: string;
  detailed_merge_status: string;
  blocking_discussions_resolved: boolean;
  merge_when_pipeline_succeeds: boolean;
}

const at = ({ project_id, iid }: RequestBody): string =>
  `/projects/${String(project_id)}/merge_requests/${String(iid)}`;

const UNRESOLVED = { resolvable: true, resolved: false, resolved_by: null, resolved_at: null };

describe('resolving threads of merge requests', () => {
  let trellis: Trellis;
  let merging: Merging;
  let place: MergePlace;
  let author: Person;
  let developer: Person;
  let reporter: Person;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    merging = await Merging.begin(trellis);
  });
  beforeEach(async () => {
    place = await merging.place();
    author = await memberOf(trellis, place.project, 30);
    developer = await memberOf(trellis, place.project, 30);
    reporter = await memberOf(trellis, place.project, 20);
  });
  afterAll(async () => {
    await merging.end();
    await trellis.restore();
  });

  const v4 = (person: Person) => trellis.as(person).v4;
  const requireResolution = async (): Promise<void> => {
    const settings = { only_allow_merge_if_all_discussions_are_resolved: true };
    await v4(place.owner).put(place.path(), settings).expect(200);
  };
  const begin = async (request: RequestBody, body: string, by = reporter): Promise<Discussion> =>
    (
      await v4(by)
        .post(`${at(request)}/discussions`, { body })
        .expect(201)
    ).body as Discussion;
  const reply = (request: RequestBody, { id }: Discussion, body: string, by = reporter) =>
    v4(by)
      .post(`${at(request)}/discussions/${id}/notes`, { body })
      .expect(201);
  const resolve = (request: RequestBody, { id }: Discussion, by: Person, resolved = true) =>
    v4(by).put(`${at(request)}/discussions/${id}`, { resolved });
  const show = async (request: RequestBody): Promise<Shown> =>
    (await v4(place.owner).get(at(request)).expect(200)).body as Shown;
  const systemNotes = async (request: RequestBody): Promise<string[]> => {
    const { body } = await v4(place.owner)
      .get(`${at(request)}/notes?activity_filter=only_activity&sort=asc`)
      .expect(200);
    return (body as Note[]).map((note) => note.body);
  };

  it('is for the author and developers, and marks every note', async () => {
    const request = await place.propose({ by: author });
    const thread = await begin(request, 'Why?');
    await reply(request, thread, 'Really?');
    for (const other of [reporter, await memberOf(trellis, place.project, 20)]) {
      expect((await resolve(request, thread, other)).status).toBe(403);
    }
    expect((await resolve(request, thread, await trellis.factories.user())).status).toBe(404);
    const resolved = await resolve(request, thread, author).expect(200);
    const mark = {
      resolvable: true,
      resolved: true,
      resolved_by: expect.objectContaining({ id: author.user.id }) as object,
      resolved_at: TIMESTAMP,
    };
    expect(resolved.body).toMatchObject({ id: thread.id, notes: [mark, mark] });
    const again = await resolve(request, thread, developer).expect(200);
    expect(again.body).toEqual(resolved.body);
    expect(await systemNotes(request)).toEqual(['resolved all threads']);
    const reopened = await resolve(request, thread, developer, false).expect(200);
    expect(reopened.body).toMatchObject({ notes: [UNRESOLVED, UNRESOLVED] });
    const missing = await v4(author)
      .put(`${at(request)}/discussions/${thread.id}`, {})
      .expect(400);
    expect(missing.body).toEqual({ error: 'resolved is missing' });
  });

  it('resolves single notes, and replies to resolved threads with them', async () => {
    const request = await place.propose({ by: author });
    const thread = await begin(request, 'Why?');
    await reply(request, thread, 'Really?');
    const [first] = thread.notes as [Note];
    const path = `${at(request)}/discussions/${thread.id}/notes/${String(first.id)}`;
    expect((await v4(reporter).put(path, { resolved: true })).status).toBe(403);
    const one = await v4(developer).put(path, { resolved: true }).expect(200);
    expect(one.body).toMatchObject({ id: first.id, resolved: true });
    expect(await systemNotes(request)).toEqual([]);
    const half = await v4(author)
      .get(`${at(request)}/discussions/${thread.id}`)
      .expect(200);
    expect(half.body).toMatchObject({ notes: [{ resolved: true }, UNRESOLVED] });
    await resolve(request, thread, developer).expect(200);
    const late = await reply(request, thread, 'Thanks');
    expect(late.body).toMatchObject({ resolved: true, resolved_by: { id: reporter.user.id } });
  });

  it('refuses notes that stand by themselves, and those of the service', async () => {
    const request = await place.propose({ by: author });
    const note = (
      await v4(author)
        .post(`${at(request)}/notes`, { body: 'Alone' })
        .expect(201)
    ).body as Note;
    const [single] = (
      await v4(author)
        .get(`${at(request)}/discussions`)
        .expect(200)
    ).body as [Discussion];
    expect((await resolve(request, single, author)).status).toBe(403);
    const path = `${at(request)}/discussions/${single.id}/notes/${String(note.id)}`;
    const refused = await v4(author).put(path, { resolved: true }).expect(400);
    expect(refused.body).toEqual({ message: '400 Bad request - Note is not resolvable' });
    const issue = (await v4(author).post(issuesOf(place.project), { title: 'x' }).expect(201))
      .body as { iid: number };
    const onIssue = `${issuesOf(place.project)}/${String(issue.iid)}/discussions`;
    const thread = (await v4(author).post(onIssue, { body: 'x' }).expect(201)).body as Discussion;
    const there = `${onIssue}/${thread.id}/notes/${String((thread.notes[0] as Note).id)}`;
    expect((await v4(author).put(there, { resolved: true })).status).toBe(400);
  });

  it('is refused in an archived project, by follow-ups, too', async () => {
    const request = await place.propose({ by: author });
    const thread = await begin(request, 'Why?');
    await v4(place.owner).post(place.path('/archive')).expect(201);
    expect((await resolve(request, thread, developer)).status).toBe(403);
    await v4(place.owner).post(place.path('/unarchive')).expect(201);
    const shown = await v4(author)
      .get(`${at(request)}/discussions/${thread.id}`)
      .expect(200);
    expect(shown.body).toMatchObject({ notes: [UNRESOLVED] });
  });

  it('blocks merges in both versions where the project requires it', async () => {
    const request = await place.propose({ by: author });
    const thread = await begin(request, 'Why?');
    expect(await show(request)).toMatchObject({
      blocking_discussions_resolved: true,
      detailed_merge_status: 'mergeable',
    });
    await requireResolution();
    expect(await show(request)).toMatchObject({
      blocking_discussions_resolved: false,
      detailed_merge_status: 'discussions_not_resolved',
    });
    const refused = { message: '405 Method Not Allowed' };
    for (const body of [{}, { merge_when_build_succeeds: true }]) {
      const old = await place.accept(request, body).expect(405);
      expect(old.body).toEqual(refused);
    }
    const now = await v4(place.owner)
      .put(`${at(request)}/merge`)
      .expect(405);
    expect(now.body).toEqual(refused);
    await resolve(request, thread, author).expect(200);
    expect(await show(request)).toMatchObject({
      blocking_discussions_resolved: true,
      detailed_merge_status: 'mergeable',
    });
    expect((await place.accept(request).expect(200)).body).toMatchObject({ state: 'merged' });
  });

  it('resolves once when several resolve at once', async () => {
    const request = await place.propose({ by: author });
    const thread = await begin(request, 'Why?');
    const answers = await Promise.all(
      [author, developer, place.owner, author, developer].map((person) =>
        resolve(request, thread, person).expect(200),
      ),
    );
    const [first] = answers.map(({ body }) => (body as Discussion).notes);
    for (const { body } of answers) expect((body as Discussion).notes).toEqual(first);
    expect(await systemNotes(request)).toEqual(['resolved all threads']);
  });

  describe('by an issue that follows up', () => {
    const follow = async (by: Person, body: object) =>
      (
        await v4(by)
          .post(issuesOf(place.project), { title: 'Later', ...body })
          .expect(201)
      ).body as { iid: number; description: string };

    it('lists the threads, resolves them and says so in each', async () => {
      const request = await place.propose({ by: author });
      const thread = await begin(request, 'Why?\nReally?');
      const other = await begin(request, 'How?', developer);
      const issue = await follow(author, { merge_request_to_resolve_discussions_of: request.iid });
      const [first, second] = [thread, other].map(({ notes }) => String((notes[0] as Note).id));
      const [line, ...rest] = issue.description.split('\n');
      expect(line).toBe(
        `The following discussions from !${String(request.iid)} should be addressed:`,
      );
      const link = `(http://[^)]*/-/merge_requests/${String(request.iid)}#note_`;
      expect(rest.join('\n')).toMatch(
        new RegExp(
          `^\n- \\[ \\] @${reporter.user.username} started a \\[discussion\\]\\${link}${String(first)}\\):\n\n` +
            `  > Why\\?\n  > Really\\?\n\n` +
            `- \\[ \\] @${developer.user.username} started a \\[discussion\\]\\${link}${String(second)}\\):\n\n  > How\\?$`,
        ),
      );
      const { body } = await v4(author)
        .get(`${at(request)}/discussions`)
        .expect(200);
      const added = `Added #${String(issue.iid)} to continue this discussion`;
      expect(body).toMatchObject([
        { notes: [{ resolved: true }, { system: true, body: added, type: 'DiscussionNote' }] },
        { notes: [{ resolved: true }, { system: true, body: added }] },
        { individual_note: true, notes: [{ body: `mentioned in issue #${String(issue.iid)}` }] },
        { individual_note: true, notes: [{ body: 'resolved all threads' }] },
      ]);
      const none = await follow(author, { merge_request_to_resolve_discussions_of: request.iid });
      expect(none.description).toBe(
        `There are no unresolved discussions on !${String(request.iid)}.`,
      );
    });

    it('resolves one thread alone, and none for those who may not', async () => {
      const request = await place.propose({ by: author });
      const thread = await begin(request, 'Why?');
      const other = await begin(request, 'How?');
      const of = { merge_request_to_resolve_discussions_of: request.iid };
      const told = await follow(reporter, { ...of, description: 'Mine' });
      expect(told.description).toBe('Mine');
      const one = await follow(developer, { ...of, discussion_to_resolve: other.id });
      expect(one.description).toContain('How?');
      expect(one.description).not.toContain('Why?');
      const { body } = await v4(author)
        .get(`${at(request)}/discussions`)
        .expect(200);
      const threads = (body as Discussion[]).filter(({ notes }) => notes[0]?.system === false);
      expect(threads).toMatchObject([
        { id: thread.id, notes: [UNRESOLVED] },
        { id: other.id, notes: [{ resolved: true }, { system: true }] },
      ]);
    });

    it('quotes the beginnings of what users wrote', async () => {
      const request = await place.propose({ by: author });
      const thread = await begin(request, `Why?${'x'.repeat(100_000)}`);
      const { notes } = thread;
      await reply(request, thread, 'Because');
      await trellis.rows('UPDATE notes SET system = true WHERE id = $1', [notes[0]?.id]);
      const issue = await follow(author, { merge_request_to_resolve_discussions_of: request.iid });
      expect(issue.description).toContain('  > Because');
      expect(issue.description).not.toContain('Why?');
      const long = await begin(request, `Why?${'x'.repeat(100_000)}`);
      const { description } = await follow(author, {
        merge_request_to_resolve_discussions_of: request.iid,
      });
      expect(description).toContain(`#note_${String(long.notes[0]?.id)}`);
      expect(description.length).toBeLessThan(1_500);
    });

    it('does the same in version 3', async () => {
      const request = await place.propose({ by: author });
      await begin(request, 'Why?');
      const made = await trellis
        .as(author)
        .post(issuesOf(place.project), {
          title: 'Later',
          merge_request_for_resolving_discussions: request.iid,
        })
        .expect(200);
      expect((made.body as { description: string }).description).toContain('  > Why?');
      expect(await systemNotes(request)).toContain('resolved all threads');
    });
  });
});

describe('merging automatically once threads are resolved', () => {
  let trellis: Trellis;
  let merging: Merging;
  let place: MergePlace;

  beforeAll(async () => {
    trellis = await Trellis.shared({ runsJobs: true });
    merging = await Merging.begin(trellis);
  });
  beforeEach(async () => {
    place = await merging.place();
    await trellis
      .as(place.owner)
      .v4.put(place.path(), { only_allow_merge_if_all_discussions_are_resolved: true })
      .expect(200);
  });
  afterAll(async () => {
    await merging.end();
    await trellis.restore();
  });

  const begin = async (request: RequestBody): Promise<string> => {
    const path = `${at(request)}/discussions`;
    const { body } = await trellis.as(place.owner).v4.post(path, { body: 'Why?' }).expect(201);
    return `${path}/${(body as Discussion).id}`;
  };
  const autoMerge = (request: RequestBody) =>
    trellis
      .as(place.owner)
      .v4.put(`${at(request)}/merge`, { auto_merge: true })
      .expect(200);
  const resolve = (path: string) =>
    trellis.as(place.owner).v4.put(path, { resolved: true }).expect(200);
  const show = async (request: RequestBody): Promise<Shown> =>
    (await trellis.as(place.owner).v4.get(at(request)).expect(200)).body as Shown;

  it('waits for the last thread, and merges without a pipeline', async () => {
    const request = await place.propose();
    const [first, second] = [await begin(request), await begin(request)];
    expect((await autoMerge(request)).body).toMatchObject({
      state: 'opened',
      merge_when_pipeline_succeeds: true,
      detailed_merge_status: 'discussions_not_resolved',
    });
    await resolve(first);
    await runJobsOf(trellis, 'merge-requests');
    expect(await show(request)).toMatchObject({ state: 'opened' });
    await resolve(second);
    await runJobsOf(trellis, 'merge-requests');
    expect(await show(request)).toMatchObject({ state: 'merged' });
  });

  it('is merged once the last unresolved note is deleted', async () => {
    const request = await place.propose();
    const path = await begin(request);
    await autoMerge(request);
    const { body } = await trellis.as(place.owner).v4.get(path).expect(200);
    const [note] = (body as Discussion).notes as [Note];
    await trellis
      .as(place.owner)
      .v4.delete(`${path}/notes/${String(note.id)}`)
      .expect(204);
    await runJobsOf(trellis, 'merge-requests');
    expect(await show(request)).toMatchObject({ state: 'merged' });
  });

  it('waits for the pipeline as well', async () => {
    const request = await place.propose();
    const thread = await begin(request);
    await place.post(request, 'running').expect(200);
    await autoMerge(request);
    await resolve(thread);
    await runJobsOf(trellis, 'merge-requests');
    expect(await show(request)).toMatchObject({ state: 'opened' });
    await place.post(request, 'success').expect(200);
    await runJobsOf(trellis, 'merge-requests');
    expect(await show(request)).toMatchObject({ state: 'merged' });
  });

  it('keeps the resolution of an erased account under the name of the ghost', async () => {
    eraseAtOnce(trellis);
    const request = await place.propose();
    const thread = await begin(request);
    const leaver = await memberOf(trellis, place.project, 30);
    await trellis.as(leaver).v4.put(thread, { resolved: true }).expect(200);
    const admin = await trellis.factories.admin();
    await trellis
      .as(admin)
      .v4.delete(`/users/${String(leaver.user.id)}`)
      .expect(204);
    await until(
      async () =>
        (await trellis.rows('SELECT 1 FROM users WHERE id = $1', [leaver.user.id])).length === 0,
    );
    const { body } = await trellis.as(place.owner).v4.get(thread).expect(200);
    expect(body).toMatchObject({
      notes: [{ resolved: true, resolved_by: { username: 'ghost' } }],
    });
  });
});
