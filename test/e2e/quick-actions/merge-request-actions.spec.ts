import { untilJobsRan } from '../../support/due-jobs.js';
import type { Person } from '../../support/factories.js';
import { type MergePlace, Merging, type RequestBody } from '../../support/merging.js';
import { memberOf } from '../../support/pushed-refs.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(240_000);

const FAILED = { message: '400 Bad request - Failed to apply commands.' };
const NO_DRAFT_CHANGE = "No change to this merge request's draft status.";

describe('quick actions of merge requests', () => {
  let trellis: Trellis;
  let merging: Merging;
  let place: MergePlace;
  let owner: Person;
  let developer: Person;
  let reporter: Person;
  let guest: Person;
  let stranger: Person;

  beforeAll(async () => {
    trellis = await Trellis.shared({ runsJobs: true });
    merging = await Merging.begin(trellis);
    place = await merging.place();
    owner = place.owner;
    developer = await memberOf(trellis, place.project, 30);
    reporter = await memberOf(trellis, place.project, 20);
    guest = await memberOf(trellis, place.project, 10);
    stranger = await trellis.factories.user();
    const label = { name: 'bug', color: '#112233' };
    await v4(owner).post(place.path('/labels'), label).expect(201);
  });
  afterAll(() => merging.end());

  const v4 = (person: Person) => trellis.as(person).v4;
  const at = ({ iid }: RequestBody, rest = '') =>
    place.path(`/merge_requests/${String(iid)}${rest}`);
  const comment = (request: RequestBody, body: string, by = owner, fields: object = {}) =>
    v4(by).post(at(request, '/notes'), { body, ...fields });
  const changes = async (request: RequestBody, body: string, by = owner): Promise<unknown> =>
    (await comment(request, body, by).expect(202)).body;
  const written = async ({ id }: RequestBody): Promise<string[]> => {
    const notes = await trellis.rows<{ body: string }>(
      `SELECT body FROM notes WHERE noteable_type = 'MergeRequest' AND noteable_id = $1
          AND NOT system ORDER BY id`,
      [id],
    );
    return notes.map(({ body }) => body);
  };

  it('marks a request as a draft and as ready, and toggles only by the old name', async () => {
    const request = await place.propose({ fields: { title: 'Work' } });
    const lines: [line: string, title: string, sentence: string, event?: string][] = [
      ['/draft', 'Draft: Work', 'Marked this merge request as a draft.', 'draft'],
      ['/draft', 'Draft: Work', NO_DRAFT_CHANGE],
      ['/ready', 'Work', 'Marked this merge request as ready.', 'ready'],
      ['/ready', 'Work', NO_DRAFT_CHANGE],
      ['/wip', 'WIP: Work', 'Marked this merge request as a draft.', 'draft'],
      ['/wip', 'Work', 'Marked this merge request as ready.', 'ready'],
    ];
    for (const [line, title, sentence, event] of lines) {
      const commands_changes = event === undefined ? {} : { title, wip_event: event };
      expect(await changes(request, line)).toEqual({ commands_changes, summary: [sentence] });
      expect((await place.read(request)).title).toBe(title);
    }
    expect(await written(request)).toEqual([]);
  });

  it('carries out those of a description when a request is opened and changed', async () => {
    const description = 'Do it.\n/draft\n/label ~bug\n/assign me\n/estimate 1h\n/todo';
    const { id, iid } = await place.propose({ fields: { title: 'Work', description } });
    const path = place.path(`/merge_requests/${String(iid)}`);
    const { body } = await v4(owner).get(path).expect(200);
    expect(body).toMatchObject({
      title: 'Draft: Work',
      description: 'Do it.',
      labels: ['bug'],
      assignees: [{ id: owner.user.id }],
      time_stats: { time_estimate: 3_600 },
    });
    const changed = { description: 'Done.\n/ready\n/unlabel ~bug\n/close' };
    const after = await v4(owner).put(path, changed).expect(200);
    expect(after.body).toMatchObject({
      title: 'Work',
      description: 'Done.',
      labels: [],
      state: 'closed',
    });
    const old = place.path(`/merge_requests/${String(id)}`);
    const { body: reopened } = await trellis
      .as(owner)
      .put(old, { description: 'Again.\n/reopen' })
      .expect(200);
    expect(reopened).toMatchObject({ description: 'Again.', state: 'reopened' });
  });

  it('closes and reopens a request by notes in both versions, the old comments too', async () => {
    const request = await place.propose();
    await comment(request, '/close').expect(202);
    expect((await place.read(request)).state).toBe('closed');
    const old = place.path(`/merge_requests/${String(request.id)}`);
    const answer = await trellis.as(owner).post(`${old}/comments`, { note: '/reopen' }).expect(202);
    expect(answer.body).toEqual({
      commands_changes: { state_event: 'reopen' },
      summary: ['Reopened this merge request.'],
    });
    expect((await place.read(request)).state).toBe('reopened');
    const { body } = await trellis
      .as(owner)
      .post(`${old}/notes`, { body: 'Not now.\n/close' })
      .expect(200);
    expect(body).toMatchObject({ body: 'Not now.' });
    expect((await place.read(request)).state).toBe('closed');
    expect(await written(request)).toEqual(['Not now.']);
  });

  it('writes a note whose request cannot be reopened, with its other actions', async () => {
    const request = await place.propose();
    await comment(request, '/close').expect(202);
    const second = await place.open(request.source_branch);
    expect((await comment(request, '/reopen').expect(400)).body).toEqual(FAILED);
    const { body } = await comment(request, 'Please\n/reopen\n/label ~bug').expect(201);
    expect(body).toMatchObject({ body: 'Please' });
    const shown = await v4(owner).get(at(request)).expect(200);
    expect(shown.body).toMatchObject({ state: 'closed', labels: ['bug'] });
    expect(await written(request)).toEqual(['Please']);
    await comment(second, '/close').expect(202);
  });

  it('has the rights of its author', async () => {
    const request = await place.propose();
    for (const person of [reporter, stranger]) {
      for (const line of ['/close', '/draft', '/label ~bug', '/spend 1h', '/approve']) {
        const answer = await comment(request, line, person);
        expect([line, answer.status]).toEqual([line, person === stranger ? 404 : 400]);
      }
    }
    await comment(request, '/todo', guest).expect(403);
    await comment(request, '/todo', reporter).expect(202);
    await comment(request, '/label ~bug', developer).expect(202);
    const { body } = await v4(owner).get(at(request)).expect(200);
    expect(body).toMatchObject({ title: request.title, state: 'opened', labels: ['bug'] });
    expect(await written(request)).toEqual([]);
  });

  it('changes nothing in an archived project', async () => {
    const archived = await merging.place();
    const request = await archived.propose();
    await trellis.as(owner).post(archived.path('/archive')).expect(200);
    const path = archived.path(`/merge_requests/${String(request.iid)}/notes`);
    for (const line of ['/close', '/label ~a', '/estimate 1h', '/title Other']) {
      const answer = await v4(owner).post(path, { body: line });
      expect([line, answer.status]).toEqual([line, 400]);
    }
  });

  it('approves a request once, and not by its author', async () => {
    const request = await place.propose();
    expect((await comment(request, '/approve').expect(400)).body).toEqual(FAILED);
    expect(await changes(request, '/approve', developer)).toEqual({
      commands_changes: { approve: true },
      summary: ['Approved the current merge request.'],
    });
    expect((await comment(request, '/approve', developer).expect(400)).body).toEqual(FAILED);
    const { body } = await v4(owner).get(at(request, '/approvals')).expect(200);
    expect(body).toMatchObject({ approved_by: [{ user: { id: developer.user.id } }] });
  });

  it('merges a request by a note that names its head', async () => {
    const request = await place.propose();
    const head = { merge_request_diff_head_sha: request.sha };
    expect((await comment(request, '/merge').expect(400)).body).toEqual(FAILED);
    const wrong = { merge_request_diff_head_sha: place.head };
    expect((await comment(request, '/merge', owner, wrong).expect(400)).body).toEqual(FAILED);
    expect((await comment(request, '/merge', reporter, head).expect(400)).body).toEqual(FAILED);
    const { body } = await comment(request, '/merge', owner, head).expect(202);
    expect(body).toEqual({
      commands_changes: { merge: request.sha },
      summary: ['Scheduled to merge this merge request.'],
    });
    await untilJobsRan(trellis, async () => (await place.read(request)).state === 'merged');
    expect((await comment(request, '/merge', owner, head).expect(400)).body).toEqual(FAILED);
    expect((await comment(request, '/close').expect(400)).body).toEqual(FAILED);
  });

  it('merges by a note of version 3, and by a reply in a discussion', async () => {
    const [one, other] = [await place.propose(), await place.propose()];
    const notes = place.path(`/merge_requests/${String(one.id)}/notes`);
    await trellis
      .as(owner)
      .post(notes, { body: 'Good.\n/merge', merge_request_diff_head_sha: one.sha })
      .expect(200);
    const threads = at(other, '/discussions');
    const begun = await v4(owner).post(threads, { body: 'Shall we?\n/draft' }).expect(201);
    const { id } = begun.body as { id: string };
    const reply = { body: '/ready', merge_request_diff_head_sha: other.sha };
    await v4(owner).post(`${threads}/${id}/notes`, reply).expect(202);
    await v4(owner)
      .post(`${threads}/${id}/notes`, { ...reply, body: 'Yes.\n/merge' })
      .expect(201);
    for (const request of [one, other]) {
      await untilJobsRan(trellis, async () => (await place.read(request)).state === 'merged');
    }
    expect(await written(one)).toEqual(['Good.']);
    expect(await written(other)).toEqual(['Shall we?', 'Yes.']);
  });

  it('does not merge a draft, nor with a note that is changed', async () => {
    const request = await place.propose({ fields: { title: 'Draft: Work' } });
    const head = { merge_request_diff_head_sha: request.sha };
    expect((await comment(request, '/merge', owner, head).expect(400)).body).toEqual(FAILED);
    await comment(request, '/ready').expect(202);
    const { body } = await comment(request, 'Text').expect(201);
    const note = at(request, `/notes/${String((body as { id: number }).id)}`);
    await v4(owner).put(note, { body: 'Other\n/merge\n/title Changed' }).expect(200);
    expect(await place.read(request)).toMatchObject({ title: 'Changed', state: 'opened' });
    const jobs = `SELECT FROM outbox WHERE name = 'merge-by-quick-action'`;
    expect(await trellis.rows(jobs)).toEqual([]);
  });

  it('quotes no quick actions into effect in an issue that follows a request up', async () => {
    const request = await place.propose();
    await trellis.with({ QUICK_ACTIONS: 'false' }, async () => {
      await v4(owner).post(at(request, '/discussions'), { body: '/close' }).expect(201);
    });
    const issue = { title: 'Later', merge_request_to_resolve_discussions_of: request.iid };
    const { body } = await v4(owner).post(place.path('/issues'), issue).expect(201);
    expect(body).toMatchObject({ state: 'opened', title: 'Later' });
    expect((body as { description: string }).description).toContain('> /close');
  });
});
