import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ROLES } from '../../support/cast.js';
import type { Person } from '../../support/factories.js';
import { answerOnCode, type FilledCast, makeFilledCast } from '../../support/filled-cast.js';
import { type PushedProject, PushedProjects } from '../../support/pushed-projects.js';
import { summaryOf } from '../../support/summaries.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

const TIMESTAMP = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string;
const NOWHERE = { path: null, line: null, line_type: null };
const OLD_PATH = 'old name.txt';
const NEW_PATH = 'dir/new näme.txt';

interface CommentBody {
  note: string;
  path: string | null;
  line: number | null;
  line_type: string | null;
}

describe('comments on commits', () => {
  let trellis: Trellis;
  let owner: Person;
  let projects: PushedProjects;
  let made: PushedProject;
  let cast: FilledCast;
  /** Changes lines of a file that it renames, adds one file, and deletes another. */
  let changing: string;

  const numbered = (count: number, changes: Record<number, string | null> = {}) =>
    Array.from({ length: count }, (_, index) => changes[index + 1] ?? `line ${String(index + 1)}`)
      .map((line) => `${line}\n`)
      .join('');

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    projects = new PushedProjects(trellis, owner);
    made = await projects.make({ visibilityLevel: 20 });
    cast = await makeFilledCast(trellis);
    const { folder } = made.work;
    await writeFile(path.join(folder, OLD_PATH), numbered(40));
    await writeFile(path.join(folder, 'gone.txt'), 'a\nb\n');
    await made.work.commit('Prepare');
    await mkdir(path.join(folder, 'dir'));
    await made.work.git('mv', OLD_PATH, NEW_PATH);
    await writeFile(
      path.join(folder, NEW_PATH),
      numbered(40, { 3: 'three\nand a half', 30: 'thirty' }),
    );
    await writeFile(path.join(folder, 'added.txt'), 'one\ntwo');
    await writeFile(path.join(folder, 'binary'), Buffer.from([0, 1, 2, 0, 10, 255]));
    await rm(path.join(folder, 'gone.txt'));
    changing = await made.work.commit('\n  Change much \n\nWith a body', 'marker.txt');
    expect((await made.work.push('HEAD:refs/heads/master', 'HEAD:refs/tags/a/tag')).code).toBe(0);
  });
  afterAll(() => projects.remove());

  const pathOf = (sha = changing) =>
    `/projects/${String(made.project.id)}/repository/commits/${sha}/comments`;
  const post = async (body: object, sha?: string, person = owner) =>
    (await trellis.as(person).post(pathOf(sha), body).expect(200)).body as CommentBody;

  describe('are created', () => {
    it('with a credential, well-formed parameters, a project, the right and a commit', async () => {
      await trellis.anonymous.post(pathOf(), { note: 'x' }).expect(401);
      const nowhere = '/projects/2147483647/repository/commits/master/comments';
      for (const [body, error] of [
        [{}, 'note is missing'],
        [{ note: null, path: 'a' }, 'note is missing'],
        [{ note: 'x', path: 'a' }, 'line is missing'],
        [{ note: 'x', path: 'a', line: '' }, 'line is missing'],
        [{ note: 'x', path: 'a', line: 'one' }, 'line is invalid'],
        [{ note: 'x', path: 'a', line: 1.5 }, 'line is invalid'],
        [
          { note: 'x', path: 'a', line: 1, line_type: 'New' },
          'line_type does not have a valid value',
        ],
        [{ note: 'x\0' }, 'note is invalid'],
        [{ note: ['x'] }, 'note is invalid'],
        [{ note: 'x', path: { a: 1 }, line: 1 }, 'path is invalid'],
      ] as const) {
        const answer = await trellis.as(owner).post(nowhere, body).expect(400);
        expect(answer.body).toEqual({ error });
      }
      const absent = await trellis.as(owner).post(nowhere, { note: 'x' }).expect(404);
      expect(absent.body).toEqual({ message: '404 Project Not Found' });
      for (const sha of ['absent', '0'.repeat(40), 'master^3', '-x', '..%2Fx', 'HEAD~999']) {
        for (const note of ['x', ' ']) {
          const answer = await trellis.as(owner).post(pathOf(sha), { note }).expect(404);
          expect(answer.body).toEqual({ message: '404 Commit Not Found' });
        }
      }
      for (const note of ['', ' \n\t ']) {
        const answer = await trellis.as(owner).post(pathOf(), { note }).expect(400);
        expect(answer.body).toEqual({ message: { note: ["can't be blank"] } });
      }
      const long = await trellis
        .as(owner)
        .post(pathOf(), { note: 'x'.repeat(1_000_001) })
        .expect(400);
      const text = 'is too long (maximum is 1000000 characters)';
      expect(long.body).toEqual({ message: { note: [text] } });
      const rows = await trellis.rows('SELECT 1 FROM commit_comments WHERE project_id = $1', [
        made.project.id,
      ]);
      expect(rows).toEqual([]);
    });

    it('and read by readers of the code', async () => {
      for (const visibility of [0, 10, 20] as const) {
        const project = String(cast.projects[visibility].id);
        const address = `/projects/${project}/repository/commits/${cast.head}/comments`;
        for (const role of ROLES) {
          const person = cast.people[role];
          const client = person === null ? trellis.anonymous : trellis.as(person);
          const written = await client.post(address, { note: role });
          const read = await client.get(address);
          const expected = answerOnCode(role, visibility);
          expect([visibility, role, written.status, read.status]).toEqual([
            ...[visibility, role, expected, expected],
          ]);
        }
      }
    });

    it('with all fields, and stored with the full hash', async () => {
      const expected = {
        note: 'On a *line*',
        path: NEW_PATH,
        line: 3,
        line_type: 'new',
        author: summaryOf(trellis, owner),
        created_at: TIMESTAMP,
      };
      const place = { path: NEW_PATH, line: 3, line_type: 'new' };
      const created = await post({ note: 'On a *line*', ...place }, changing.slice(0, 9));
      expect(created).toEqual(expected);
      const rows = await trellis.rows(
        'SELECT * FROM commit_comments WHERE project_id = $1 ORDER BY id DESC LIMIT 1',
        [made.project.id],
      );
      expect(rows).toMatchObject([
        {
          sha: changing,
          commit_title: 'Change much',
          author_id: owner.user.id,
          note: 'On a *line*',
          path: NEW_PATH,
          line: 3,
          line_type: 'new',
        },
      ]);
    });

    it.each([
      ['a changed line', NEW_PATH, 3, 'new'],
      ['a line that came with it', NEW_PATH, 4, 'new'],
      ['a line moved by others', NEW_PATH, 31, 'new'],
      ['a removed line', NEW_PATH, 3, 'old'],
      ['a removed line further down', NEW_PATH, 30, 'old'],
      ['a line of a new file', 'added.txt', 2, 'new'],
      ['a line of a deleted file', 'gone.txt', 2, 'old'],
    ])('at %s', async (_, file, line, lineType) => {
      const given = { path: file, line, line_type: lineType };
      expect(await post({ note: 'Here', ...given })).toMatchObject(given);
      expect(await post({ note: 'Here', ...given }, 'master')).toMatchObject(given);
      expect(await post({ note: 'Here', ...given }, 'a%2Ftag')).toMatchObject(given);
      if (lineType === 'new') {
        expect(await post({ note: 'Here', path: file, line })).toMatchObject(given);
      }
    });

    it.each([
      ['an unchanged line', { path: NEW_PATH, line: 2 }],
      ['an unchanged line of the old side', { path: NEW_PATH, line: 2, line_type: 'old' }],
      ['a line number of the other side', { path: NEW_PATH, line: 30, line_type: 'new' }],
      ['a line far from all changes', { path: NEW_PATH, line: 17 }],
      ['a line beyond the end', { path: NEW_PATH, line: 2_147_483_647 }],
      ['line zero', { path: NEW_PATH, line: 0 }],
      ['a negative line', { path: NEW_PATH, line: -3 }],
      ['the old name of a file', { path: OLD_PATH, line: 3, line_type: 'old' }],
      ['a new line of a deleted file', { path: 'gone.txt', line: 1, line_type: 'new' }],
      ['an old line of a new file', { path: 'added.txt', line: 1, line_type: 'old' }],
      ['a binary file', { path: 'binary', line: 1 }],
      ['a file that stays as it was', { path: 'file.txt', line: 1 }],
      ['a path that leads outside', { path: '../../../etc/passwd', line: 1 }],
      ['a path that looks like an option', { path: '--output=x', line: 1 }],
      ['a folder', { path: 'dir', line: 1 }],
      ['a path with a slash before it', { path: `/${NEW_PATH}`, line: 3 }],
      ['a line without a path', { line: 3 }],
      ['a side alone', { line_type: 'old' }],
      ['a blank path', { path: '', line: 3 }],
    ])('on the commit as a whole for %s', async (_, place) => {
      for (const sha of [changing, 'master']) {
        expect(await post({ note: 'Where?', ...place }, sha)).toMatchObject(NOWHERE);
      }
    });

    it('at the lines of a root commit, and of a merge compared with its first parent', async () => {
      expect(await post({ note: 'x', path: 'file.txt', line: 1 }, made.head)).toMatchObject({
        path: 'file.txt',
      });
      const { work } = made;
      await work.git('checkout', '--quiet', '-b', 'side', 'HEAD~1');
      await work.commit('Side', 'side.txt');
      await work.git('checkout', '--quiet', 'master');
      await work.git('merge', '--quiet', '--no-ff', '--message', 'Merge', 'side');
      await work.push('HEAD:refs/heads/merged');
      const place = (file: string) => post({ note: 'x', path: file, line: 1 }, 'merged');
      expect(await place('side.txt')).toMatchObject({ path: 'side.txt', line: 1 });
      expect(await place('added.txt')).toMatchObject(NOWHERE);
    });
  });

  it('are listed by age, in pages, for every name of the commit', async () => {
    const of = await projects.make();
    const address = (sha: string) =>
      `/projects/${String(of.project.id)}/repository/commits/${sha}/comments`;
    await Promise.all(
      Array.from({ length: 5 }, (_, index) =>
        trellis
          .as(owner)
          .post(address(of.head), { note: `Note ${String(index)}` })
          .expect(200),
      ),
    );
    const rows = await trellis.rows<{ note: string }>(
      'SELECT note FROM commit_comments WHERE project_id = $1 ORDER BY id',
      [of.project.id],
    );
    const notes = rows.map(({ note }) => note);
    expect(notes).toHaveLength(5);
    for (const sha of [of.head, of.head.slice(0, 7), 'master']) {
      const { body } = await trellis.as(owner).get(address(sha)).expect(200);
      expect((body as CommentBody[]).map(({ note }) => note)).toEqual(notes);
    }
    const paged = await trellis
      .as(owner)
      .get(`${address('master')}?per_page=2&page=3`)
      .expect(200);
    expect(paged.body).toEqual([
      {
        ...{ note: notes[4], ...NOWHERE },
        ...{ author: summaryOf(trellis, owner), created_at: TIMESTAMP },
      },
    ]);
    expect(paged.headers).toMatchObject({ 'x-total': '5', 'x-next-page': '' });
    await of.work.commit('Another');
    await of.work.push('HEAD:refs/heads/master');
    expect((await trellis.as(owner).get(address('master')).expect(200)).body).toEqual([]);
    await trellis.as(owner).get(address('absent')).expect(404);
    await trellis.anonymous.get(address('master')).expect(401);
  });

  it('take the same number of statements for any number', async () => {
    const of = await projects.make();
    const address = `/projects/${String(of.project.id)}/repository/commits/master/comments`;
    const count = async (query: string) =>
      (
        await trellis.statements.during(() =>
          trellis.as(owner).get(`${address}${query}`).expect(200),
        )
      ).length;
    await trellis.as(owner).post(address, { note: 'One' }).expect(200);
    const one = await count('');
    await trellis.rows(
      `INSERT INTO commit_comments (project_id, sha, commit_title, author_id, note)
       SELECT $1, $2, 'First commit', id, 'Text' FROM unnest($3::int[]) AS id`,
      [of.project.id, of.head, await trellis.factories.crowd(60)],
    );
    expect(await count('?per_page=100')).toBe(one);
    expect(one).toBeLessThanOrEqual(12);
  });
});
