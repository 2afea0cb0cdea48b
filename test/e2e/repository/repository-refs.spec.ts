import type { Person } from '../../support/factories.js';
import { type PushedProject, PushedProjects } from '../../support/pushed-projects.js';
import { Trellis } from '../../support/trellis.js';

interface Named {
  name: string;
}

describe('tags, branches and comparisons', () => {
  let trellis: Trellis;
  let owner: Person;
  let projects: PushedProjects;
  let pushed: PushedProject;
  let base: string;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user();
    projects = new PushedProjects(trellis, owner);
    pushed = await projects.make();
    const { project, work } = pushed;
    base = `/projects/${String(project.id)}/repository`;
    await work.git('tag', 'v1.0');
    await work.git('tag', '-a', '-m', 'Two\n\nWith more.', 'v2.0');
    await work.git('tag', '-a', '-m', 'Of a tag', 'release/v3', 'v2.0');
    await work.git('tag', 'files', 'HEAD^{tree}');
    await work.git('branch', 'old');
    await work.git('checkout', '--quiet', '-b', 'feature/slash');
    await work.commit('On the side', 'side.txt');
    await work.commit('On the side again', 'side.txt');
    await work.git('checkout', '--quiet', '-');
    await work.commit('On the trunk');
    const { code } = await work.push('HEAD:refs/heads/master', 'feature/slash', 'old', '--tags');
    expect(code).toBe(0);
  });
  afterAll(() => projects.remove());

  const refCommit = (id: string, parents: string[], message: string) => ({
    id,
    parent_ids: parents,
    message,
    author_name: 'Ada',
    author_email: 'ada@example.com',
    authored_date: expect.stringMatching(/^\d{4}-.*\.000\+00:00$/) as string,
    committer_name: 'Ada',
    committer_email: 'ada@example.com',
    committed_date: expect.stringMatching(/^\d{4}-.*\.000\+00:00$/) as string,
  });

  describe('GET tags', () => {
    it('lists them by name in descending order', async () => {
      const answer = await trellis.as(owner).get(`${base}/tags`).expect(200);
      const commit = refCommit(pushed.head, [], 'First commit\n');
      expect(answer.body).toEqual([
        { name: 'v2.0', message: 'Two\n\nWith more.', commit, release: null },
        { name: 'v1.0', message: null, commit, release: null },
        { name: 'release/v3', message: 'Of a tag', commit, release: null },
        { name: 'files', message: null, commit: null, release: null },
      ]);
      const page = await trellis.as(owner).get(`${base}/tags?per_page=1&page=2`).expect(200);
      expect((page.body as Named[]).map(({ name }) => name)).toEqual(['v1.0']);
      expect(page.headers).toMatchObject({ 'x-total': '4' });
    });

    it('shows one, with slashes encoded or not, with its release notes', async () => {
      await trellis.rows(
        'INSERT INTO releases (project_id, tag, description) VALUES ($1, $2, $3)',
        [pushed.project.id, 'release/v3', 'Much is new'],
      );
      for (const name of ['release/v3', 'release%2Fv3']) {
        const answer = await trellis.as(owner).get(`${base}/tags/${name}`).expect(200);
        expect(answer.body).toEqual({
          name: 'release/v3',
          message: 'Of a tag',
          commit: refCommit(pushed.head, [], 'First commit\n'),
          release: { tag_name: 'release/v3', description: 'Much is new' },
        });
      }
      for (const name of ['master', 'release', 'v1', 'V1.0', '..%2Fheads%2Fmaster']) {
        const answer = await trellis.as(owner).get(`${base}/tags/${name}`).expect(404);
        expect(answer.body).toEqual({ message: '404 Tag Not Found' });
      }
    });

    it('starts no process once warm, and takes the same statements for any page size', async () => {
      const get = (size: number) =>
        trellis
          .as(owner)
          .get(`${base}/tags?per_page=${String(size)}`)
          .expect(200);
      await get(100);
      const spawned = trellis.git.spawnCount;
      const one = await trellis.statements.during(() => get(1));
      const many = await trellis.statements.during(() => get(100));
      expect(many).toHaveLength(one.length);
      expect(many.length).toBeLessThanOrEqual(4);
      expect(trellis.git.spawnCount).toBe(spawned);
    });
  });

  describe('GET branches', () => {
    it('determines merged branches with one process, and with none once warm', async () => {
      const get = async () => {
        const answer = await trellis.as(owner).get(`${base}/branches`).expect(200);
        return (answer.body as { name: string; merged: boolean }[]).map(
          ({ name, merged }) => `${name} ${String(merged)}`,
        );
      };
      const expected = ['feature/slash false', 'master true', 'old true'];
      expect(await get()).toEqual(expected);
      const spawned = trellis.git.spawnCount;
      expect(await get()).toEqual(expected);
      expect(trellis.git.spawnCount).toBe(spawned);
      await pushed.work.commit('Further');
      expect((await pushed.work.push('HEAD:refs/heads/master')).code).toBe(0);
      await trellis.as(owner).get(`${base}/commits`).expect(200);
      const before = trellis.git.spawnCount;
      expect(await get()).toEqual(expected);
      expect(trellis.git.spawnCount).toBe(before + 1);
    });
  });

  describe('GET compare', () => {
    const compare = async (from: string, to: string) => {
      const query = new URLSearchParams({ from, to }).toString();
      return (await trellis.as(owner).get(`${base}/compare?${query}`).expect(200)).body as {
        commit: { id: string } | null;
        commits: { id: string; title: string }[];
        diffs: { new_path: string }[];
        compare_timeout: boolean;
        compare_same_ref: boolean;
      };
    };

    it('returns commits and differences since the merge base', async () => {
      const { work } = pushed;
      const ids = (await work.git('rev-list', '--reverse', 'master..feature/slash')).split('\n');
      const listed = (id: string | undefined, title: string) => ({
        id,
        short_id: id?.slice(0, 8),
        title,
        message: `${title}\n`,
        author_name: 'Ada',
        author_email: 'ada@example.com',
        committer_name: 'Ada',
        committer_email: 'ada@example.com',
        created_at: expect.any(String) as string,
        status: null,
        allow_failure: false,
      });
      const commits = [listed(ids[0], 'On the side'), listed(ids[1], 'On the side again')];
      expect(await compare('master', 'feature/slash')).toEqual({
        commit: commits[1],
        commits,
        diffs: [
          {
            diff: '--- /dev/null\n+++ b/side.txt\n@@ -0,0 +1 @@\n+On the side again 3\n',
            old_path: 'side.txt',
            new_path: 'side.txt',
            a_mode: '0',
            b_mode: '100644',
            new_file: true,
            renamed_file: false,
            deleted_file: false,
          },
        ],
        compare_timeout: false,
        compare_same_ref: false,
      });
      const back = await compare('feature/slash', 'v1.0');
      expect(back).toMatchObject({ commit: null, commits: [], diffs: [] });
      expect(back.compare_same_ref).toBe(false);
    });

    it('reports when both are the same commit', async () => {
      const same = {
        commit: null,
        commits: [],
        diffs: [],
        compare_timeout: false,
        compare_same_ref: true,
      };
      expect(await compare('v1.0', pushed.head.slice(0, 10))).toEqual(same);
    });

    it('compares unrelated histories completely', async () => {
      const { work } = pushed;
      await work.git('checkout', '--quiet', '--orphan', 'island');
      await work.git('rm', '--quiet', '-r', '-f', '.');
      const id = await work.commit('Alone', 'alone.txt');
      expect((await work.push('island')).code).toBe(0);
      await work.git('checkout', '--quiet', 'master');
      const found = await compare('master', 'island');
      expect(found.commits.map((commit) => commit.id)).toEqual([id]);
      expect(found.diffs.map((diff) => diff.new_path)).toEqual(['alone.txt']);
    });

    it('starts no process once warm', async () => {
      await compare('master', 'feature/slash');
      const spawned = trellis.git.spawnCount;
      await compare('master', 'feature/slash');
      expect(trellis.git.spawnCount).toBe(spawned);
    });
  });

  describe('GET contributors', () => {
    it('counts commits by e-mail without merges, the latest author first', async () => {
      const { project, work } = await projects.make();
      const as = async (name: string, email: string, file: string) => {
        await work.commit(`By ${name}`, file);
        await work.git('commit', '--quiet', '--amend', '--no-edit', `--author=${name} <${email}>`);
      };
      await as('Grace', 'grace@example.com', 'a');
      await as('Alan', 'alan@example.com', 'b');
      await as('Grace H', 'grace@example.com', 'c');
      await work.git('checkout', '--quiet', '-b', 'side', 'HEAD~2');
      await as('Edsger', 'edsger@example.com', 'd');
      await work.git('checkout', '--quiet', '-');
      await work.git('merge', '--quiet', '--no-ff', '-m', 'Merge', 'side');
      expect((await work.push('HEAD:refs/heads/master')).code).toBe(0);
      const place = `/projects/${String(project.id)}/repository/contributors`;
      const answer = await trellis.as(owner).get(place).expect(200);
      const list = answer.body as { email: string }[];
      const sorted = [...list].sort((a, b) => (a.email < b.email ? -1 : 1));
      const none = { additions: 0, deletions: 0 };
      expect(sorted).toEqual([
        { name: 'Ada', email: 'ada@example.com', commits: 1, ...none },
        { name: 'Alan', email: 'alan@example.com', commits: 1, ...none },
        { name: 'Edsger', email: 'edsger@example.com', commits: 1, ...none },
        { name: 'Grace H', email: 'grace@example.com', commits: 2, ...none },
      ]);
      const spawned = trellis.git.spawnCount;
      const page = await trellis.as(owner).get(`${place}?per_page=1`).expect(200);
      expect(page.headers).toMatchObject({ 'x-total': '4' });
      expect(trellis.git.spawnCount).toBe(spawned);
    });
  });
});
