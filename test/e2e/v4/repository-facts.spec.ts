import type { Person } from '../../support/factories.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { Trellis } from '../../support/trellis.js';
import { makeVaried, SUBMODULE, type VariedProject } from '../../support/varied-project.js';

interface CommitBody {
  id: string;
  parent_ids: string[];
  message: string;
  author_name: string;
}

const OTHER = 'ab'.repeat(20);

describe('languages, changelogs and submodules of version 4', () => {
  let trellis: Trellis;
  let projects: PushedProjects;
  let owner: Person;
  let maintainer: Person;
  let guest: Person;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    const { factories } = trellis;
    owner = await factories.user();
    maintainer = await factories.user();
    guest = await factories.user();
    projects = new PushedProjects(trellis, owner);
  });
  afterAll(() => projects.remove());

  const v4 = (person: Person) => trellis.as(person).v4;
  const anonymous = () => trellis.anonymous.v4;

  async function addMembers(id: number): Promise<void> {
    for (const [person, level] of [
      [maintainer, 40],
      [guest, 10],
    ] as const) {
      const member = { user_id: person.user.id, access_level: level };
      await v4(owner)
        .post(`/projects/${String(id)}/members`, member)
        .expect(201);
    }
  }

  const commit = async (
    base: string,
    message: string,
    files: Readonly<Record<string, string>>,
    options: object = {},
  ): Promise<string> => {
    const actions = Object.entries(files).map(([file_path, content]) => ({
      action: 'create',
      file_path,
      content,
    }));
    const body = { branch: 'master', commit_message: message, actions, ...options };
    const answer = await v4(owner).post(`${base}/commits`, body).expect(201);
    return (answer.body as CommitBody).id;
  };

  describe('languages', () => {
    it('are those of the default branch by bytes, without what is not written there', async () => {
      const { project } = await projects.make({ visibilityLevel: 20 });
      const at = `/projects/${String(project.id)}`;
      const bytes = (count: number): string => 'x'.repeat(count);
      await commit(`${at}/repository`, 'Begin', {
        'src/a.ts': bytes(500),
        'src/b.TSX': bytes(100),
        'lib/c.rb': bytes(250),
        'include/d.h': bytes(100),
        Makefile: bytes(49),
        'bin/e.py': bytes(1),
        'notes.md': bytes(9999),
        'data.json': bytes(9999),
        'node_modules/f.js': bytes(9999),
        'docs/g.html': bytes(9999),
        'h.min.js': bytes(9999),
        'i.unknown': bytes(9999),
        'empty.go': '',
      });
      const { body } = await anonymous().get(`${at}/languages`).expect(200);
      expect(Object.entries(body as object)).toEqual([
        ['TypeScript', 60],
        ['Ruby', 25],
        ['C', 10],
        ['Makefile', 4.9],
        ['Python', 0.1],
      ]);
    });

    it('are the five largest', async () => {
      const { project } = await projects.make();
      const at = `/projects/${String(project.id)}`;
      const names = ['rb', 'py', 'js', 'go', 'rs', 'swift'];
      const files = names.map((name, index) => [`a.${name}`, 'x'.repeat(index + 1)] as const);
      await commit(`${at}/repository`, 'Begin', Object.fromEntries(files));
      const { body } = await v4(owner).get(`${at}/languages`).expect(200);
      expect(Object.keys(body as object)).toEqual(['Swift', 'Rust', 'Go', 'JavaScript', 'Python']);
    });

    it('are none in an empty repository, and for those who may read code', async () => {
      const project = await trellis.factories.project(owner);
      const at = `/projects/${String(project.id)}`;
      await addMembers(project.id);
      const { body } = await v4(maintainer).get(`${at}/languages`).expect(200);
      expect(body).toEqual({});
      await v4(guest).get(`${at}/languages`).expect(403);
      await anonymous().get(`${at}/languages`).expect(404);
    });
  });

  describe('a submodule', () => {
    let varied: VariedProject;
    const move = (person: Person, path: string, body: object) =>
      v4(person).put(`${varied.base}/submodules/${encodeURIComponent(path)}`, body);

    beforeAll(async () => {
      varied = await makeVaried(projects);
      await addMembers(varied.project.id);
    });

    it('is moved by those who may push', async () => {
      const body = { branch: 'master', commit_sha: OTHER };
      await anonymous().put(`${varied.base}/submodules/module`, body).expect(401);
      await move(guest, 'module', body).expect(403);
      const answer = await move(maintainer, 'module', body).expect(200);
      expect(answer.body).toMatchObject({
        message: `Update submodule module with oid ${OTHER}`,
        author_name: maintainer.user.name,
        parent_ids: [varied.head],
      });
      const tree = await v4(owner).get(`${varied.base}/tree?ref=master&per_page=100`).expect(200);
      expect(tree.body).toContainEqual({
        id: OTHER,
        name: 'module',
        type: 'commit',
        path: 'module',
        mode: '160000',
      });
      const again = await move(maintainer, 'module', body).expect(400);
      expect(again.body).toEqual({ message: `The submodule module is already at ${OTHER}` });
    });

    it('keeps the message of the caller, and other files', async () => {
      const { body: before } = await v4(owner).get(
        `${varied.base}/tree?ref=feature/slash&per_page=100`,
      );
      const body = {
        branch: 'feature/slash',
        commit_sha: OTHER.toUpperCase(),
        commit_message: 'x',
      };
      const answer = await move(maintainer, 'module', body).expect(200);
      expect((answer.body as CommitBody).message).toBe('x');
      const { body: after } = await v4(owner).get(
        `${varied.base}/tree?ref=feature/slash&per_page=100`,
      );
      const others = (entries: unknown) =>
        (entries as { name: string }[]).filter(({ name }) => name !== 'module');
      expect(others(after)).toEqual(others(before));
    });

    it.each([
      ['run.sh', { branch: 'master', commit_sha: SUBMODULE }, 'Invalid submodule path'],
      ['docs', { branch: 'master', commit_sha: SUBMODULE }, 'Invalid submodule path'],
      ['absent/module', { branch: 'master', commit_sha: SUBMODULE }, 'Invalid submodule path'],
      ['../module', { branch: 'master', commit_sha: SUBMODULE }, 'Invalid submodule path'],
      [
        'module',
        { branch: 'absent', commit_sha: SUBMODULE },
        'You can only create or edit files when you are on a branch',
      ],
    ])('is refused at %s of %j', async (path, body, message) => {
      expect((await move(maintainer, path, body).expect(400)).body).toEqual({ message });
    });

    it.each([
      [{ branch: 'master' }, 'commit_sha is missing'],
      [{ commit_sha: SUBMODULE }, 'branch is missing'],
      [{ branch: 'master', commit_sha: '1234' }, 'Invalid parameters'],
    ])('is refused for %j', async (body, error) => {
      const answer = await move(maintainer, 'module', body).expect(400);
      expect(JSON.stringify(answer.body)).toContain(error);
    });
  });

  describe('a changelog', () => {
    let base: string;
    let shas: Readonly<Record<'first' | 'feature' | 'fix' | 'revert', string>>;
    let projectUrl: string;

    beforeAll(async () => {
      const { project } = await projects.make({ visibilityLevel: 20 });
      await addMembers(project.id);
      base = `/projects/${String(project.id)}/repository`;
      const { body } = await v4(owner).get(`/projects/${String(project.id)}`);
      projectUrl = (body as { web_url: string }).web_url;
      const first = await commit(base, 'Begin\n\nChangelog: added', { a: 'a' });
      for (const [tag_name, ref] of [
        ['v0.9.0', first],
        ['v1.0.0-rc1', first],
        ['nightly', first],
      ]) {
        await v4(owner).post(`${base}/tags`, { tag_name, ref }).expect(201);
      }
      const feature = await commit(base, 'Sing\n\nLonger.\n\nChangelog: added\nIssue: 1', {
        b: 'b',
      });
      await commit(base, 'Silence', { c: 'c' });
      await commit(base, 'Changelog: fixed', { d: 'd' });
      const fix = await commit(base, 'Mend [it]\n\nChangelog: fixed', { e: 'e' });
      const wrong = await commit(base, 'Break\n\nChangelog: added', { f: 'f' });
      const revert = await commit(
        base,
        `Take it back\n\nThis reverts commit ${wrong}\n\nChangelog: added`,
        { g: 'g' },
      );
      shas = { first, feature, fix, revert };
    });

    const entry = (title: string, sha: string): string =>
      `- [${title}](${projectUrl}/-/commit/${sha})\n`;
    const expected = (): string =>
      `## 1.0.0 (2026-05-04)\n\n### added (2 changes)\n\n${entry('Take it back', shas.revert)}` +
      `${entry('Sing', shas.feature)}\n### fixed (1 change)\n\n${entry('Mend [it]', shas.fix)}`;

    it('tells the commits since the newest earlier version, by their trailers', async () => {
      for (const version of ['1.0.0', 'v1.0.0']) {
        const path = `${base}/changelog?version=${version}&date=2026-05-04T21:00:00Z`;
        const { body } = await anonymous().get(path).expect(200);
        expect(body).toEqual({ notes: expected() });
      }
    });

    it('takes a range and another trailer', async () => {
      const range = `from=${shas.first}&to=${shas.feature}`;
      const path = `${base}/changelog?version=2.0.0&date=2026-05-04&${range}`;
      const { body } = await v4(maintainer).get(`${path}&trailer=Issue`).expect(200);
      expect(body).toEqual({
        notes: `## 2.0.0 (2026-05-04)\n\n### 1 (1 change)\n\n${entry('Sing', shas.feature)}`,
      });
      const none = await v4(maintainer).get(`${path}&trailer=None`).expect(200);
      expect(none.body).toEqual({ notes: '## 2.0.0 (2026-05-04)\n\nNo changes.\n' });
    });

    it.each([
      ['', 400, 'version is missing'],
      ['version=1', 400, 'version is invalid'],
      ['version=0.1.0', 422, 'no previous tag could be found to use instead'],
      ['version=1.0.0&to=absent', 422, 'absent is not a commit'],
      ['version=1.0.0&from=absent', 422, 'absent is not a commit'],
    ])('is refused for %s', async (query, status, text) => {
      const { body } = await v4(maintainer).get(`${base}/changelog?${query}`).expect(status);
      expect(JSON.stringify(body)).toContain(text);
    });

    it('is committed to a file, once, in the order of versions', async () => {
      const post = (person: Person, body: object) => v4(person).post(`${base}/changelog`, body);
      const date = '2026-05-04';
      await anonymous().post(`${base}/changelog`, { version: '1.0.0' }).expect(401);
      await post(guest, { version: '1.0.0' }).expect(403);
      const to = shas.revert;
      await post(maintainer, { version: '1.0.0', date, to }).expect(200);
      await post(maintainer, { version: '0.9.1', date, to, from: shas.fix }).expect(200);
      await post(maintainer, { version: '1.0.0', date, to }).expect(200);
      const { text } = await v4(owner).get(`${base}/files/CHANGELOG.md/raw`).expect(200);
      expect(text).toBe(
        `${expected()}\n## 0.9.1 (2026-05-04)\n\n### added (1 change)\n\n` +
          entry('Take it back', shas.revert),
      );
      const { body } = await v4(owner).get(`${base}/commits?per_page=3`).expect(200);
      expect((body as CommitBody[]).map(({ message }) => message)).toEqual([
        'Add changelog for version 0.9.1',
        'Add changelog for version 1.0.0',
        expect.stringContaining('Take it back'),
      ]);
      await post(maintainer, { version: '3.0.0', file: 'a/b' }).expect(422);
      await post(maintainer, { version: '3.0.0', file: '../b' }).expect(400);
    });

    it('of another branch tells the commits of that branch', async () => {
      const start = { branch: 'beside', start_sha: shas.first };
      const beside = await commit(base, 'Aside\n\nChangelog: added', { h: 'h' }, start);
      const body = { version: '1.1.0', date: '2026-05-04', branch: 'beside', from: shas.first };
      await v4(maintainer).post(`${base}/changelog`, body).expect(200);
      const { text } = await v4(owner).get(`${base}/files/CHANGELOG.md/raw?ref=beside`).expect(200);
      expect(text).toBe(
        `## 1.1.0 (2026-05-04)\n\n### added (1 change)\n\n${entry('Aside', beside)}`,
      );
    });

    it('is not added to what is no text in UTF-8', async () => {
      const actions = [
        { action: 'create', file_path: 'LATIN.md', content: '6Q==', encoding: 'base64' },
      ];
      await v4(owner)
        .post(`${base}/commits`, {
          branch: 'latin',
          start_branch: 'master',
          commit_message: 'x',
          actions,
        })
        .expect(201);
      const body = { version: '9.0.0', branch: 'latin', file: 'LATIN.md', from: shas.first };
      const answer = await v4(maintainer).post(`${base}/changelog`, body).expect(422);
      expect((answer.body as { message: string }).message).toContain('There is no text file');
    });

    it('of very long messages is refused', async () => {
      const { project, work, head } = await projects.make();
      // As much as a list reads of a message: 80 KiB.
      const messages = Array.from({ length: 230 }, () => `Long\n\n${'x'.repeat(90_000)}`);
      await work.commitAll(messages);
      expect((await work.push('HEAD:refs/heads/master')).code).toBe(0);
      const path = `/projects/${String(project.id)}/repository/changelog?version=1.0.0`;
      await v4(owner).get(`${path}&from=${head}`).expect(413);
      await v4(owner).get(`${path}&from=master~100`).expect(200);
    });

    it('is committed once by calls at the same time', async () => {
      const file = 'NEWS.md';
      const body = { version: '1.0.0', date: '2026-05-04', to: shas.revert, file, message: 'News' };
      const answers = await Promise.all(
        [1, 2, 3].map(() => v4(maintainer).post(`${base}/changelog`, body)),
      );
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
      const { text } = await v4(owner).get(`${base}/files/NEWS.md/raw`).expect(200);
      expect(text).toBe(expected());
      const { body: commits } = await v4(owner).get(`${base}/commits?path=NEWS.md`).expect(200);
      expect(commits).toHaveLength(1);
    });
  });
});
