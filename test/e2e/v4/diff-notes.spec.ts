import { createHash } from 'node:crypto';
import { runJobsOf } from '../../support/due-jobs.js';
import { type MergePlace, Merging, type RequestBody } from '../../support/merging.js';
import { Trellis } from '../../support/trellis.js';
import { until } from '../../support/until.js';

jest.setTimeout(120_000);

interface Position {
  base_sha: string;
  start_sha: string;
  head_sha: string;
  old_path: string;
  new_path: string;
  position_type: string;
  old_line?: number | null;
  new_line?: number | null;
  line_range?: unknown;
}

interface Note {
  id: number;
  type: string | null;
  position: Position;
}

interface Discussion {
  id: string;
  notes: Note[];
}

interface Refs {
  base_sha: string;
  start_sha: string;
  head_sha: string;
}

const at = ({ project_id, iid }: RequestBody): string =>
  `/projects/${String(project_id)}/merge_requests/${String(iid)}`;

const lines = (...names: string[]): string => names.map((name) => `${name}\n`).join('');

const NOT_SHOWN = {
  message: '400 Bad request - Note {:line_code=>["can\'t be blank", "must be a valid line code"]}',
};

const FIVE = ['one', 'two', 'three', 'four', 'five'] as const;

describe('notes on the lines of merge requests', () => {
  let trellis: Trellis;
  let merging: Merging;
  let place: MergePlace;

  beforeAll(async () => {
    trellis = await Trellis.shared({ runsJobs: true });
    merging = await Merging.begin(trellis);
  });
  beforeEach(async () => {
    place = await merging.place();
    await place.commit('master', { file: 'text', content: lines(...FIVE) });
  });
  afterAll(async () => {
    await merging.end();
    await trellis.restore();
  });

  const v4 = () => trellis.as(place.owner).v4;
  /** A request that replaces `three` by `new` in the file `text`. */
  const propose = (): Promise<RequestBody> =>
    place.propose({
      branch: 'topic',
      file: 'text',
      content: lines('one', 'two', 'new', 'four', 'five'),
    });
  const refsOf = async (request: RequestBody): Promise<Refs> => {
    const { body } = await v4().get(at(request)).expect(200);
    return (body as { diff_refs: Refs }).diff_refs;
  };
  const addedLine = (refs: Refs): Position => ({
    ...refs,
    position_type: 'text',
    old_path: 'text',
    new_path: 'text',
    old_line: null,
    new_line: 3,
  });
  const discuss = (request: RequestBody, position: object) =>
    v4().post(`${at(request)}/discussions`, { body: 'Why?', position });
  const begin = async (request: RequestBody, position: object): Promise<Discussion> =>
    (await discuss(request, position).expect(201)).body as Discussion;
  const positionOf = async (request: RequestBody, { id }: Discussion): Promise<Position> => {
    const { body } = await v4()
      .get(`${at(request)}/discussions/${id}`)
      .expect(200);
    return (body as Discussion).notes[0]!.position;
  };
  const push = async (request: RequestBody, content: string): Promise<Refs> => {
    await place.commit('topic', { file: 'text', content });
    await runJobsOf(trellis, 'merge-requests');
    return refsOf(request);
  };
  const isOutdated = async ({ notes }: Discussion): Promise<boolean | undefined> => {
    const rows = await trellis.rows<{ outdated: boolean }>(
      'SELECT outdated FROM notes WHERE id = $1',
      [notes[0]!.id],
    );
    return rows[0]?.outdated;
  };

  it('begins a thread on a line that was added, removed or unchanged', async () => {
    const request = await propose();
    const refs = await refsOf(request);
    const position = addedLine(refs);
    const thread = await begin(request, position);
    expect(thread.notes).toMatchObject([
      { type: 'DiffNote', resolvable: true, resolved: false, commit_id: null },
    ]);
    expect(thread.notes[0]!.position).toEqual({ ...position, line_range: null });
    const removed = { ...position, old_line: 3, new_line: null };
    expect((await begin(request, removed)).notes[0]!.position).toMatchObject(removed);
    const unchanged = { ...position, old_line: 2, new_line: 2 };
    expect((await begin(request, unchanged)).notes[0]!.position).toMatchObject(unchanged);
    const replied = await v4()
      .post(`${at(request)}/discussions/${thread.id}/notes`, { body: 'So' })
      .expect(201);
    expect(replied.body).toMatchObject({ type: 'DiffNote', position });
    const listed = await v4()
      .get(`${at(request)}/notes?sort=asc`)
      .expect(200);
    expect((listed.body as Note[]).map(({ type }) => type)).toEqual(Array(4).fill('DiffNote'));
    const old = await trellis
      .as(place.owner)
      .get(`/projects/${String(request.project_id)}/merge_requests/${String(request.id)}/notes`)
      .expect(200);
    expect((old.body as Note[]).map(({ id }) => id)).toEqual(
      (listed.body as Note[]).map(({ id }) => id),
    );
  });

  it('takes positions of forms and parts of forms, and stores a range of lines', async () => {
    const request = await propose();
    const refs = await refsOf(request);
    const code = `${createHash('sha1').update('text').digest('hex')}_4_3`;
    const fields: Record<string, string> = {
      body: 'Why?',
      'position[base_sha]': refs.base_sha,
      'position[start_sha]': refs.start_sha,
      'position[head_sha]': refs.head_sha,
      'position[position_type]': 'text',
      'position[new_path]': 'text',
      'position[old_line]': '',
      'position[new_line]': '3',
      'position[line_range][start][line_code]': code,
      'position[line_range][start][type]': 'new',
      'position[line_range][start][new_line]': '3',
      'position[line_range][end][line_code]': code,
      'position[line_range][end][type]': 'new',
      'position[line_range][end][new_line]': '3',
    };
    const end = { line_code: code, type: 'new', old_line: null, new_line: 3 };
    const expected = { ...addedLine(refs), line_range: { start: end, end } };
    const form = new URLSearchParams(fields).toString();
    const url = `${at(request)}/discussions`;
    const urlencoded = await v4()
      .post(url)
      .set('content-type', 'application/x-www-form-urlencoded')
      .send(form)
      .expect(201);
    expect((urlencoded.body as Discussion).notes[0]!.position).toEqual(expected);
    const multipart = v4().call('post', url);
    for (const [name, value] of Object.entries(fields)) void multipart.field(name, value);
    const parts = await multipart.expect(201);
    expect((parts.body as Discussion).notes[0]!.position).toEqual(expected);
  });

  it('stores texts of ranges that are no Unicode', async () => {
    const request = await propose();
    const end = { line_code: '\ud800', type: 'new' };
    const position = { ...addedLine(await refsOf(request)), line_range: { start: end, end } };
    const stored = { line_code: '\ufffd', type: 'new', old_line: null, new_line: null };
    expect((await begin(request, position)).notes[0]!.position.line_range).toEqual({
      start: stored,
      end: stored,
    });
  });

  it('takes the head of the target branch as base, as reviewdog sends it', async () => {
    const request = await propose();
    const { head_sha } = await refsOf(request);
    const target = await place.commit('master', { file: 'other', content: 'x\n' });
    const position = { ...addedLine({ base_sha: target, start_sha: target, head_sha }) };
    const thread = await begin(request, { ...position, old_path: undefined });
    expect(thread.notes[0]!.position).toMatchObject({ base_sha: target, new_line: 3 });
  });

  it('begins threads on files and pictures without lines', async () => {
    const request = await propose();
    const refs = await refsOf(request);
    const file = { ...refs, position_type: 'file', old_path: 'text', new_path: 'text' };
    expect((await begin(request, file)).notes[0]!.position).toEqual(file);
    const image = { ...file, position_type: 'image', width: 20, height: 10, x: 1, y: 2 };
    expect((await begin(request, image)).notes[0]!.position).toEqual(image);
  });

  it.each([
    ['a line that is not shown', { new_line: 30 }],
    ['an unchanged line by one number', { new_line: 2 }],
    ['a line without numbers', { new_line: null }],
    ['another file', { old_path: 'README', new_path: 'README' }],
    ['no file', { old_path: undefined, new_path: undefined }],
    ['an unknown head', { head_sha: 'f'.repeat(40) }],
    ['an unknown base', { base_sha: 'f'.repeat(40) }],
    ['no hash', { base_sha: '--all' }],
    ['an abbreviated hash', { head_sha: 'f'.repeat(8) }],
  ])('refuses %s', async (_, change) => {
    const request = await propose();
    const answer = await discuss(request, { ...addedLine(await refsOf(request)), ...change });
    expect([answer.status, answer.body]).toEqual([400, NOT_SHOWN]);
    expect(
      (
        await v4()
          .get(`${at(request)}/discussions`)
          .expect(200)
      ).body,
    ).toEqual([]);
  });

  it('refuses commits of other branches and incomplete positions', async () => {
    const request = await propose();
    const position = addedLine(await refsOf(request));
    const other = await place.commit('elsewhere', { file: 'text', content: lines('x') });
    for (const change of [{ head_sha: other }, { base_sha: other }, { start_sha: other }]) {
      const answer = await discuss(request, { ...position, ...change });
      expect([answer.status, answer.body]).toEqual([400, NOT_SHOWN]);
    }
    const incomplete = await discuss(request, { new_path: 'text', new_line: 3 }).expect(400);
    expect(incomplete.body).toEqual({
      error:
        'position[base_sha] is missing, position[start_sha] is missing, ' +
        'position[head_sha] is missing, position[position_type] is missing',
    });
    const unknown = await discuss(request, { ...position, position_type: 'sound' }).expect(400);
    expect(unknown.body).toEqual({ error: 'position[position_type] does not have a valid value' });
    const text = await discuss(request, 'text' as never);
    expect([text.status, text.body]).toEqual([400, { error: 'position is invalid' }]);
  });

  it('follows pushes that move the line, with its replies', async () => {
    const request = await propose();
    const written = addedLine(await refsOf(request));
    const thread = await begin(request, written);
    await v4()
      .post(`${at(request)}/discussions/${thread.id}/notes`, { body: 'So' })
      .expect(201);
    const refs = await push(request, lines('zero', 'one', 'two', 'new', 'four', 'five'));
    const moved = { ...addedLine(refs), new_line: 4, line_range: null };
    expect(await positionOf(request, thread)).toEqual(moved);
    const { body } = await v4()
      .get(`${at(request)}/discussions/${thread.id}/notes`)
      .expect(200);
    expect((body as Note[]).map(({ position }) => position)).toEqual([moved, moved]);
    const stored = await trellis.rows<{ original: { newLine: number; headSha: string } }>(
      'SELECT original_position AS original FROM notes WHERE id = $1',
      [thread.notes[0]!.id],
    );
    expect(stored).toMatchObject([{ original: { newLine: 3, headSha: written.head_sha } }]);
    const again = await push(request, lines('zero', 'one', 'two', 'new', 'four', 'five', 'six'));
    expect(await positionOf(request, thread)).toEqual({ ...moved, ...again });
    expect(await isOutdated(thread)).toBe(false);
  });

  it('keeps the last position of a line that is changed, and of no other', async () => {
    const request = await propose();
    const written = addedLine(await refsOf(request));
    const [thread, removed] = [
      await begin(request, written),
      await begin(request, { ...written, old_line: 3, new_line: null }),
    ];
    const refs = await push(request, lines('one', 'two', 'newer', 'four', 'five'));
    expect(await positionOf(request, thread)).toEqual({ ...written, line_range: null });
    expect(await isOutdated(thread)).toBe(true);
    expect(await positionOf(request, removed)).toMatchObject({ ...refs, old_line: 3 });
    await push(request, lines('one', 'two', 'new', 'four', 'five'));
    expect(await positionOf(request, thread)).toEqual({ ...written, line_range: null });
  });

  it('outdates a line that the difference no longer shows', async () => {
    const request = await propose();
    const thread = await begin(request, addedLine(await refsOf(request)));
    await push(request, lines(...FIVE));
    expect(await isOutdated(thread)).toBe(true);
  });

  it('follows removed lines when the merge base moves', async () => {
    const request = await propose();
    const position = { ...addedLine(await refsOf(request)), old_line: 3, new_line: null };
    const thread = await begin(request, position);
    await place.commit('master', { file: 'text', content: lines('zero', ...FIVE) });
    const settings = { merge_method: 'ff' };
    await v4().put(place.path(), settings).expect(200);
    await v4()
      .put(`${at(request)}/rebase`)
      .expect(202);
    const refs = await until(async () => {
      const now = await refsOf(request);
      return now.base_sha !== position.base_sha && now;
    });
    await runJobsOf(trellis, 'merge-requests');
    expect(await positionOf(request, thread)).toMatchObject({
      ...refs,
      old_line: 4,
      new_line: null,
    });
  });

  it('compares as many commits for many threads as for one', async () => {
    const request = await propose();
    const position = addedLine(await refsOf(request));
    const [{ id }] = (await begin(request, position)).notes as [Note];
    await trellis.rows(
      `INSERT INTO notes (project_id, noteable_type, noteable_id, author_id, body, type, discussion_id, position, original_position)
       SELECT project_id, noteable_type, noteable_id, author_id, body, type, 1000000 + n, position, original_position
         FROM notes, generate_series(1, 1500) n WHERE id = $1`,
      [id],
    );
    const refs = await push(request, lines('zero', 'one', 'two', 'new', 'four', 'five'));
    const rows = await trellis.rows(
      `SELECT position ->> 'newLine' AS line, position ->> 'headSha' AS head, count(*)::int
         FROM notes WHERE noteable_type = 'MergeRequest' AND noteable_id = $1 AND position IS NOT NULL
        GROUP BY 1, 2`,
      [request.id],
    );
    expect(rows).toEqual([{ line: '4', head: refs.head_sha, count: 1501 }]);
  });

  it('moves at most a thousand notes with one transaction', async () => {
    const request = await propose();
    const [{ id }] = (await begin(request, addedLine(await refsOf(request)))).notes as [Note];
    await trellis.rows(
      `INSERT INTO notes (project_id, noteable_type, noteable_id, author_id, body, type, discussion_id, is_reply, position, original_position)
       SELECT project_id, noteable_type, noteable_id, author_id, body, type, 2000000 + thread, n > 1, position, original_position
         FROM notes, generate_series(1, 12) thread, generate_series(1, 200) n WHERE id = $1`,
      [id],
    );
    const refs = await push(request, lines('zero', 'one', 'two', 'new', 'four', 'five'));
    const transactions = await trellis.rows<{ count: number }>(
      `SELECT count(*)::int FROM notes
        WHERE noteable_type = 'MergeRequest' AND noteable_id = $1 AND position ->> 'headSha' = $2
        GROUP BY xmin ORDER BY 1`,
      [request.id, refs.head_sha],
    );
    expect(transactions.map(({ count }) => count)).toEqual([600, 801, 1000]);
  });
});
